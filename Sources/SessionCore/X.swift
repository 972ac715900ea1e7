public enum X { case a }
