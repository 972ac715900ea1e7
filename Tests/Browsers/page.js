// What the pages share. Each page is one situation. Tests/bin/browsers serves it, hears that it has begun and that it is over,
// and answers each time when it has heard enough, so that no page guesses how long something takes.

const tell = (what, details = "") => fetch(`/told/${what}`, { method: "POST", body: details });

// A page gives a function that begins its situation and returns another one that ends it.
function situation(begin) {
    addEventListener("load", async () => {
        try {
            const end = await begin();
            await tell("begun");
            await end();
            await tell("over");
        } catch (error) {
            await tell("failed", `${error}`);
        }
    });
}

async function until(what, holds, seconds = 20) {
    const last = performance.now() + seconds * 1000;
    while (!holds()) {
        if (performance.now() > last) throw new Error(`waited ${seconds} s for ${what} in vain`);
        await new Promise(go => setTimeout(go, 20));
    }
}

// A microphone as pages ask for it: with echo cancellation, noise suppression and control of the gain.
const openMicrophone = (isProcessed = true) => navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: isProcessed, noiseSuppression: isProcessed, autoGainControl: isProcessed },
});

function closeMicrophone(microphone) {
    for (const track of microphone.getTracks()) track.stop();
}

async function playFilm() {
    const film = document.createElement("video");
    film.src = "film.wav";
    film.loop = true;
    document.body.append(film);
    await film.play();
    await until("the film", () => film.currentTime > 0.2);
    return film;
}

// A call between two peers that are both in this page: one sends the microphone, or another sound, and the other one plays it.
async function call(microphone, sent = microphone) {
    const [here, there] = [new RTCPeerConnection(), new RTCPeerConnection()];
    here.onicecandidate = event => there.addIceCandidate(event.candidate);
    there.onicecandidate = event => here.addIceCandidate(event.candidate);
    for (const track of sent.getTracks()) here.addTrack(track, sent);
    const remote = new Promise(answer => { there.ontrack = event => answer(event.streams[0]); });
    await here.setLocalDescription(await here.createOffer());
    await there.setRemoteDescription(here.localDescription);
    await there.setLocalDescription(await there.createAnswer());
    await here.setRemoteDescription(there.localDescription);
    const voice = document.createElement("audio");
    voice.srcObject = await remote;
    document.body.append(voice);
    await voice.play();
    await until("the connection", () => here.connectionState === "connected");
    await until("the remote voice", () => voice.currentTime > 0.2);
    return () => {
        here.close();
        there.close();
        voice.srcObject = null;
        closeMicrophone(microphone);
    };
}

// A bar that shows how loud the microphone is, as pages have it before a meeting. Nothing of it is played.
async function showLevel(microphone) {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(microphone).connect(analyser);
    await until("the meter", () => context.currentTime > 0.2);
    return async () => {
        closeMicrophone(microphone);
        await context.close();
    };
}
