// Who uses the engine uses its terms.
@_exported import Terms
