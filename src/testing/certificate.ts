import { join } from 'node:path'
import { runProgram } from './program.ts'

/** PEM files with a certificate for `localhost` and its private key. */
export interface TestCertificate {
  readonly certFile: string
  readonly keyFile: string
}

/** Creates a self-signed certificate with an ECDSA key. */
export async function makeCertificate(folder: string, name: string): Promise<TestCertificate> {
  const certFile = join(folder, `${name}.cert.pem`)
  const keyFile = join(folder, `${name}.key.pem`)
  const args =
    'req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 2 -addext subjectAltName=DNS:localhost'
  const { code, err } = await runProgram('openssl', [
    ...args.split(' '),
    '-subj',
    `/CN=${name}`,
    '-keyout',
    keyFile,
    '-out',
    certFile,
  ])
  if (code !== 0) throw new Error(`openssl ended with ${code}: ${err}`)
  return { certFile, keyFile }
}
