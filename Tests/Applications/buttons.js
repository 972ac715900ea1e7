// The buttons of a page are pressed from outside: the answer of the server to each question is the name of the next one, and
// the question says what the page shows.
async function runButtons(buttons, shown = () => "") {
    for (let question = ""; ;) {
        const answer = await fetch("/next", { method: "POST", body: question });
        try {
            await buttons[await answer.text()]();
            question = shown();
        } catch (error) {
            question = String(error);
        }
    }
}
