// Keeps the secret of the page, which no other origin can read, and opens the page.
localStorage.setItem("hermes-sdk-page", document.currentScript.dataset.secret);
location.replace("/");
