// Does the work that the form to sign up asks for, in a thread of its own, when the form is sent. Without this script the
// form is sent as it is, and a mail stands for the work.
//
// It finds a number that, behind the challenge and what the form says, gives a SHA-256 that begins with some zero bits
// (`users/entry/proof-of-work.rules.ts`). The browser's own SHA-256 is not there on pages without TLS, so here is one.

const isWorker = typeof document === 'undefined'

const roots = (power) => {
  const words = []
  for (let candidate = 2; words.length < 64; candidate += 1) {
    if (Array.from({ length: candidate - 2 }, (_, index) => index + 2).some((each) => candidate % each === 0)) continue
    const root = candidate ** power
    words.push(((root - Math.floor(root)) * 0x1_0000_0000) | 0)
  }
  return words
}
const start = isWorker ? roots(1 / 2).slice(0, 8) : []
const constants = isWorker ? Int32Array.from(roots(1 / 3)) : new Int32Array()
const schedule = new Int32Array(64)

/** One block of 16 words at `from`, into the state. */
function addBlock(state, words, from) {
  for (let index = 0; index < 64; index += 1) {
    if (index < 16) {
      schedule[index] = words[from + index]
      continue
    }
    const early = schedule[index - 15]
    const late = schedule[index - 2]
    const first = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)
    const second = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10)
    schedule[index] = (schedule[index - 16] + first + schedule[index - 7] + second) | 0
  }
  let [a, b, c, d, e, f, g, h] = state
  for (let index = 0; index < 64; index += 1) {
    const high = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const one = (h + high + ((e & f) ^ (~e & g)) + constants[index] + schedule[index]) | 0
    const low = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  state[0] = (state[0] + a) | 0
  state[1] = (state[1] + b) | 0
  state[2] = (state[2] + c) | 0
  state[3] = (state[3] + d) | 0
  state[4] = (state[4] + e) | 0
  state[5] = (state[5] + f) | 0
  state[6] = (state[6] + g) | 0
  state[7] = (state[7] + h) | 0
}

/** The number behind `text` whose hash begins with so many zero bits. */
function findNonce(text, bits) {
  const bytes = new TextEncoder().encode(text)
  const maxDigits = 15
  const wordCount = Math.ceil((bytes.length + maxDigits + 9) / 64) * 16
  const words = new Int32Array(wordCount)
  const state = new Int32Array(8)
  // The blocks that the number does not reach are the same each time.
  const fixed = Math.floor(bytes.length / 64)
  for (const [index, byte] of bytes.entries()) words[index >> 2] |= byte << (24 - (index & 3) * 8)
  const before = Int32Array.from(start)
  for (let block = 0; block < fixed; block += 1) addBlock(before, words, block * 16)
  const kept = words.slice()
  for (let nonce = 0; ; nonce += 1) {
    const digits = String(nonce)
    words.set(kept)
    for (let index = 0; index <= digits.length; index += 1) {
      const place = bytes.length + index
      const byte = index < digits.length ? digits.charCodeAt(index) : 0x80
      words[place >> 2] |= byte << (24 - (place & 3) * 8)
    }
    const size = bytes.length + digits.length
    const blocks = Math.ceil((size + 9) / 64)
    words[blocks * 16 - 1] = size * 8
    state.set(before)
    for (let block = fixed; block < blocks; block += 1) addBlock(state, words, block * 16)
    if (Math.clz32(state[0]) >= bits) return digits
  }
}

if (isWorker) {
  addEventListener('message', ({ data }) => postMessage(findNonce(data.text, data.bits)))
} else {
  const form = document.querySelector('form[data-work]')
  const address = document.currentScript.src
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const { challenge, user_name: name, email, nonce } = form.elements
    const button = form.querySelector('button')
    const told = form.querySelector('[data-working]')
    const normal = (field) => field.value.trim().toLowerCase()
    button.disabled = true
    told.hidden = false
    const worker = new Worker(address)
    const send = () => {
      worker.terminate()
      form.submit()
    }
    worker.addEventListener('message', ({ data }) => {
      nonce.value = data
      send()
    })
    // Without the work the form is as good as that of a browser without scripts.
    worker.addEventListener('error', send)
    const text = `${challenge.value} ${normal(name)} ${normal(email)} `
    worker.postMessage({ text, bits: Number(form.dataset.work) }, [])
  })
  // Who comes back finds the form as it was.
  addEventListener('pageshow', () => {
    form.querySelector('button').disabled = false
    form.querySelector('[data-working]').hidden = true
  })
}
