import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

/** A page's request to the browser; see `auth/passkey.service.ts`. */
interface Asked {
  readonly challenge: string
  readonly rpId: string
}

/** A simulated device with one passkey. */
export class PasskeyDevice {
  readonly id = randomBytes(16)
  readonly #private: KeyObject
  readonly #public: KeyObject
  counter = 0

  constructor(readonly origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#private = privateKey
    this.#public = publicKey
  }

  /** Returns the browser's answer to the creation of a passkey. */
  create(request: Asked): string {
    const { x = '', y = '' } = this.#public.export({ format: 'jwk' })
    const coordinate = (text: string) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, 'base64url')])
    // A COSE key: kty EC2, alg ES256, crv P-256, x, y (RFC 9052).
    const key = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      coordinate(x),
      Buffer.from([0x22]),
      coordinate(y),
    ])
    const length = Buffer.from([0, this.id.length])
    const data = Buffer.concat([this.#data(request, 0x45), Buffer.alloc(16), length, this.id, key])
    const text = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)])
    // `{fmt: "none", attStmt: {}, authData}` in CBOR.
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.from([0xa0]),
      text('authData'),
      Buffer.from([0x58, data.length]),
      data,
    ])
    const clientData = this.#clientData('webauthn.create', request)
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** Returns the browser's answer to a sign-in. @param verified whether the device verified the person */
  get(request: Asked, verified = true): string {
    this.counter += 1
    const data = this.#data(request, verified ? 0x05 : 0x01)
    const clientData = this.#clientData('webauthn.get', request)
    const signature = sign(
      'sha256',
      Buffer.concat([data, createHash('sha256').update(clientData).digest()]),
      this.#private,
    )
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    })
  }

  #data({ rpId }: Asked, flags: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counter])
  }

  #clientData(type: string, { challenge }: Asked): Buffer {
    const text = Buffer.from(challenge).toString('base64url')
    return Buffer.from(JSON.stringify({ type, challenge: text, origin: this.origin, crossOrigin: false }))
  }

  #answer(response: Record<string, unknown>): string {
    const id = this.id.toString('base64url')
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  }
}
