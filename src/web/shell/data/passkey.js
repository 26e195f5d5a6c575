// Asks the browser for a passkey, or has it make one, when a button of the page is pressed, and sends the answer with the
// form that the button is in. Without this script, and in browsers without passkeys, the buttons are not shown.

const fromText = (text) => new TextEncoder().encode(text)
const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
const toBase64 = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

const publicKeys = (ids) => ids.map((id) => ({ type: 'public-key', id: fromBase64(id) }))

/** @param asked `PasskeyRequest` of `auth/passkey.service.ts` */
const get = async (asked) => {
  const { id, rawId, type, response } = await navigator.credentials.get({
    publicKey: {
      challenge: fromText(asked.challenge),
      rpId: asked.rpId,
      allowCredentials: publicKeys(asked.allow),
      userVerification: asked.verification,
    },
  })
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return {
    id,
    rawId: toBase64(rawId),
    type,
    clientExtensionResults: {},
    response: {
      clientDataJSON: toBase64(clientDataJSON),
      authenticatorData: toBase64(authenticatorData),
      signature: toBase64(signature),
      ...(userHandle ? { userHandle: toBase64(userHandle) } : {}),
    },
  }
}

/** @param asked `NewPasskeyRequest` of `auth/passkey.service.ts` */
const create = async (asked) => {
  const { id, rawId, type, response } = await navigator.credentials.create({
    publicKey: {
      challenge: fromText(asked.challenge),
      rp: { id: asked.rpId, name: asked.rpName },
      user: { id: fromBase64(asked.userHandle), name: asked.userName, displayName: asked.userName },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: publicKeys(asked.exclude),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    },
  })
  return {
    id,
    rawId: toBase64(rawId),
    type,
    clientExtensionResults: {},
    response: {
      clientDataJSON: toBase64(response.clientDataJSON),
      attestationObject: toBase64(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  }
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const asked = JSON.parse(form.dataset.asked)
  const isHere = location.hostname === asked.rpId || location.hostname.endsWith(`.${asked.rpId}`)
  const failed = form.querySelector('[data-failed]')
  if (isHere && typeof PublicKeyCredential === 'function') {
    for (const hidden of document.querySelectorAll('[data-with-passkeys]')) hidden.hidden = false
    for (const shown of document.querySelectorAll('[data-without-passkeys]')) shown.hidden = true
  }
  form.querySelector('button').addEventListener('click', () => void send())

  async function send() {
    failed.hidden = true
    try {
      const answer = await (form.dataset.passkey === 'create' ? create(asked) : get(asked))
      form.elements.response.value = JSON.stringify(answer)
      const { remember } = form.elements
      if (remember) remember.disabled = document.querySelector('input[type=checkbox][name=remember]')?.checked !== true
      form.submit()
    } catch (error) {
      // Who thought better of it, has none, or has it here already.
      failed.textContent =
        error.name === 'InvalidStateError' ? failed.dataset.known : `${failed.dataset.failed} (${error.name})`
      failed.hidden = false
    }
  }
}
