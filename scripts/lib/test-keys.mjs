/**
 * Keeps RSA keys of tests in `build/test-keys/`: searching the primes of one takes up to two seconds of processor time, a
 * tenth of a run. A process gets each key once before it gets one again.
 */
import crypto from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fromRoot } from './project.mjs'

/** Number of keys of each length. */
const keptKeys = 16

const { createPrivateKey, createPublicKey, generateKeyPair, subtle } = crypto
const generate = promisify(generateKeyPair)
// oxlint-disable-next-line typescript/unbound-method -- it is called with the `this` of its caller
const { generateKey } = subtle
const taken = new Map()

async function takeKey(bits) {
  const number = taken.get(bits) ?? 0
  taken.set(bits, (number + 1) % keptKeys)
  const folder = fromRoot('build', 'test-keys')
  const file = join(folder, `rsa-${bits}-${number}.pem`)
  if (existsSync(file)) return createPrivateKey(readFileSync(file))
  const { privateKey } = await generate('rsa', { modulusLength: bits })
  mkdirSync(folder, { recursive: true })
  const unfinished = `${file}-${process.pid}`
  writeFileSync(unfinished, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  renameSync(unfinished, file)
  return privateKey
}

const encoded = (key, encoding) => (encoding === undefined ? key : key.export(encoding))

const promised = async (type, options) => {
  if (type !== 'rsa') return generate(type, options)
  const privateKey = await takeKey(options.modulusLength)
  return {
    publicKey: encoded(createPublicKey(privateKey), options.publicKeyEncoding),
    privateKey: encoded(privateKey, options.privateKeyEncoding),
  }
}

const usagesOfPublic = ['encrypt', 'verify', 'wrapKey']

/** Lets Node's two ways to generate RSA keys take kept ones; other keys are new. */
export function keepRsaKeys() {
  crypto.generateKeyPair = Object.assign(
    (type, options, callback) => {
      promised(type, options).then(
        ({ publicKey, privateKey }) => process.nextTick(callback, null, publicKey, privateKey),
        (error) => process.nextTick(callback, error),
      )
    },
    { [promisify.custom]: promised },
  )
  Object.getPrototypeOf(subtle).generateKey = async function takeSubtleKey(algorithm, extractable, usages) {
    if (!/^RSA/i.test(algorithm.name ?? '')) return generateKey.call(this, algorithm, extractable, usages)
    const key = await takeKey(algorithm.modulusLength)
    const isOfPublic = (usage) => usagesOfPublic.includes(usage)
    const [publicKey, privateKey] = await Promise.all([
      this.importKey(
        'spki',
        createPublicKey(key).export({ type: 'spki', format: 'der' }),
        algorithm,
        true,
        usages.filter(isOfPublic),
      ),
      this.importKey(
        'pkcs8',
        key.export({ type: 'pkcs8', format: 'der' }),
        algorithm,
        extractable,
        usages.filter((usage) => !isOfPublic(usage)),
      ),
    ])
    return { publicKey, privateKey }
  }
  syncBuiltinESMExports()
}
