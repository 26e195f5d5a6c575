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

/** @param request `PasskeyRequest` of `auth/passkey.service.ts` */
const get = async (request) => {
  const { id, rawId, type, response } = await navigator.credentials.get({
    publicKey: {
      challenge: fromText(request.challenge),
      rpId: request.rpId,
      allowCredentials: publicKeys(request.allow),
      userVerification: request.verification,
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

/** @param request `NewPasskeyRequest` of `auth/passkey.service.ts` */
const create = async (request) => {
  const { id, rawId, type, response } = await navigator.credentials.create({
    publicKey: {
      challenge: fromText(request.challenge),
      rp: { id: request.rpId, name: request.rpName },
      user: { id: fromBase64(request.userHandle), name: request.userName, displayName: request.userName },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: publicKeys(request.exclude),
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
  const request = JSON.parse(form.dataset.request)
  const isHere = location.hostname === request.rpId || location.hostname.endsWith(`.${request.rpId}`)
  const failed = form.querySelector('[data-failed]')
  if (isHere && typeof PublicKeyCredential === 'function') {
    for (const hidden of document.querySelectorAll('[data-with-passkeys]')) hidden.hidden = false
    for (const shown of document.querySelectorAll('[data-without-passkeys]')) shown.hidden = true
  }
  form.querySelector('button').addEventListener('click', () => void send())

  async function send() {
    failed.hidden = true
    try {
      const answer = await (form.dataset.passkey === 'create' ? create(request) : get(request))
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
