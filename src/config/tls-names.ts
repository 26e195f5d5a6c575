import { wordTable } from '../lib/word-table.ts'

/** The TLS versions that https can accept. OpenSSL refuses older versions at its default security level. */
export const tlsVersions = ['TLSv1.2', 'TLSv1.3'] as const

/** Curve names of the family's settings, mapped to those of OpenSSL. */
export const curves = wordTable<string>({
  x25519mlkem768: 'X25519MLKEM768',
  x25519: 'X25519',
  p256: 'P-256',
  p384: 'P-384',
  p521: 'P-521',
})

/** TLS 1.2 cipher suites: names of the family's settings (the IANA names in lower case), mapped to those of OpenSSL. */
const suitesOfTls12 = wordTable<string>({
  ecdhe_ecdsa_with_aes_256_gcm_sha384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  ecdhe_rsa_with_aes_256_gcm_sha384: 'ECDHE-RSA-AES256-GCM-SHA384',
  ecdhe_ecdsa_with_aes_128_gcm_sha256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  ecdhe_rsa_with_aes_128_gcm_sha256: 'ECDHE-RSA-AES128-GCM-SHA256',
  ecdhe_ecdsa_with_chacha20_poly1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  ecdhe_rsa_with_chacha20_poly1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  ecdhe_ecdsa_with_chacha20_poly1305_sha256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  ecdhe_rsa_with_chacha20_poly1305_sha256: 'ECDHE-RSA-CHACHA20-POLY1305',
  ecdhe_ecdsa_with_aes_128_cbc_sha256: 'ECDHE-ECDSA-AES128-SHA256',
  ecdhe_rsa_with_aes_128_cbc_sha256: 'ECDHE-RSA-AES128-SHA256',
  ecdhe_ecdsa_with_aes_256_cbc_sha: 'ECDHE-ECDSA-AES256-SHA',
  ecdhe_rsa_with_aes_256_cbc_sha: 'ECDHE-RSA-AES256-SHA',
  ecdhe_ecdsa_with_aes_128_cbc_sha: 'ECDHE-ECDSA-AES128-SHA',
  ecdhe_rsa_with_aes_128_cbc_sha: 'ECDHE-RSA-AES128-SHA',
  rsa_with_aes_256_gcm_sha384: 'AES256-GCM-SHA384',
  rsa_with_aes_128_gcm_sha256: 'AES128-GCM-SHA256',
  rsa_with_aes_128_cbc_sha256: 'AES128-SHA256',
  rsa_with_aes_256_cbc_sha: 'AES256-SHA',
  rsa_with_aes_128_cbc_sha: 'AES128-SHA',
})

/** TLS 1.3 cipher suites, mapped in the same way. */
const suitesOfTls13 = wordTable<string>({
  aes_256_gcm_sha384: 'TLS_AES_256_GCM_SHA384',
  chacha20_poly1305_sha256: 'TLS_CHACHA20_POLY1305_SHA256',
  aes_128_gcm_sha256: 'TLS_AES_128_GCM_SHA256',
})

/** The names that `SSL_CIPHER_SUITES` accepts, with and without `tls_`, as the family's files contain both forms. */
export const cipherSuiteNames = [...Object.keys(suitesOfTls12), ...Object.keys(suitesOfTls13)].flatMap((name) => [
  name,
  `tls_${name}`,
])

/**
 * Returns the cipher list for OpenSSL. A TLS version without a suite in the list keeps OpenSSL's default suites: in the
 * family's files the list applies only to TLS 1.2 and must not disable TLS 1.3.
 * @returns undefined for an empty list
 */
export function cipherList(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const bare = names.map((name) => name.replace(/^tls_/, ''))
  const older = bare.flatMap((name) => suitesOfTls12[name] ?? [])
  const newer = bare.flatMap((name) => suitesOfTls13[name] ?? [])
  return [
    ...(newer.length > 0 ? newer : Object.values(suitesOfTls13)),
    ...(older.length > 0 ? older : ['ECDHE+AESGCM', 'ECDHE+CHACHA20']),
  ].join(':')
}

/** Returns the curve list for OpenSSL; `auto` selects OpenSSL's default. */
export const curveList = (names: readonly string[]): string =>
  names.length === 0 ? 'auto' : names.map((name) => curves[name] ?? name).join(':')
