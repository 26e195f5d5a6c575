import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { fingerprintOf, provesKey } from './ssh-public-key.ts'

const field = (value: Buffer | string): Buffer => {
  const bytes = Buffer.from(value as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
const sha256 = (value: Buffer | string): Buffer => createHash('sha256').update(value).digest()
const part = (key: KeyObject, name: 'x' | 'y'): Buffer =>
  Buffer.from(key.export({ format: 'jwk' })[name] as string, 'base64url')

const signed = Buffer.from('what is signed')
const ed = generateKeyPairSync('ed25519')
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

test('ssh keys: a signature is valid only for its key and bytes', () => {
  const blob = Buffer.concat([field('ssh-ed25519'), field(part(ed.publicKey, 'x'))])
  const signature = sign(null, signed, ed.privateKey)
  assert.equal(provesKey(blob, { signed, signature, hashAlgorithm: undefined }), true)
  assert.equal(provesKey(blob, { signed: Buffer.from('else'), signature, hashAlgorithm: undefined }), false)
  assert.equal(provesKey(blob.subarray(0, 20), { signed, signature, hashAlgorithm: undefined }), false)
  assert.match(fingerprintOf(blob), /^SHA256:[\w+/]{43}$/)
})

test('ssh keys: RSA signatures with SHA-1 are refused', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { e, n } = rsa.publicKey.export({ format: 'jwk' })
  const number = (text: string | undefined): Buffer =>
    field(Buffer.concat([Buffer.of(0), Buffer.from(text ?? '', 'base64url')]))
  const blob = Buffer.concat([field('ssh-rsa'), number(e), number(n)])
  const proof = (hash: string | undefined) => ({
    signed,
    signature: sign(hash ?? 'sha1', signed, rsa.privateKey),
    hashAlgorithm: hash,
  })
  assert.equal(provesKey(blob, proof('sha256')), true)
  assert.equal(provesKey(blob, proof('sha512')), true)
  assert.equal(provesKey(blob, proof(undefined)), false)
  assert.equal(provesKey(blob, proof('sha1')), false)
})

test('ssh keys: a signature of an untouched security key is refused', () => {
  const token = (flags: number): Buffer => Buffer.concat([sha256('ssh:'), Buffer.of(flags, 0, 0, 0, 7), sha256(signed)])
  const end = (flags: number): Buffer => Buffer.of(flags, 0, 0, 0, 7)
  const edBlob = Buffer.concat([field('sk-ssh-ed25519@openssh.com'), field(part(ed.publicKey, 'x')), field('ssh:')])
  const point = Buffer.concat([Buffer.of(4), part(ec.publicKey, 'x'), part(ec.publicKey, 'y')])
  const ecBlob = Buffer.concat([
    field('sk-ecdsa-sha2-nistp256@openssh.com'),
    field('nistp256'),
    field(point),
    field('ssh:'),
  ])
  for (const [flags, counts] of [
    [1, true],
    [5, true],
    [4, false],
    [0, false],
  ] as const) {
    const edSignature = Buffer.concat([sign(null, token(flags), ed.privateKey), end(flags)])
    assert.equal(provesKey(edBlob, { signed, signature: edSignature, hashAlgorithm: undefined }), counts)
    const pair = sign('sha256', token(flags), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' })
    const positive = (bytes: Buffer): Buffer => {
      const start = bytes.findIndex((byte) => byte !== 0)
      const short = bytes.subarray(start)
      return field((short[0] as number) > 127 ? Buffer.concat([Buffer.of(0), short]) : short)
    }
    const ecSignature = Buffer.concat([positive(pair.subarray(0, 32)), positive(pair.subarray(32)), end(flags)])
    assert.equal(provesKey(ecBlob, { signed, signature: ecSignature, hashAlgorithm: undefined }), counts)
  }
})
