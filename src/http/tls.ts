import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import type { RequestListener, ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import { createSecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls'
import type { Log } from '../lib/log.ts'

export interface TlsOptions {
  /** Files in PEM: the certificate followed by its intermediates, and the private key. */
  readonly certFile: string
  readonly keyFile: string
  readonly minVersion: SecureVersion
  readonly maxVersion: SecureVersion
  /** Lists in the form of OpenSSL; without ciphers it chooses. */
  readonly ciphers: string | undefined
  readonly curves: string
}

/** Certificate and key cannot be used; `key` is the setting that names the file at fault. */
export class CertificateProblem extends Error {
  override readonly name = 'CertificateProblem'
  constructor(
    readonly key: 'CERT_FILE' | 'KEY_FILE',
    reason: string,
  ) {
    super(reason)
  }
}

/** Longest time between a change of the files and its use is twice this, in milliseconds. */
const watchIntervalMs = 1000

/** Longest time of a handshake, in milliseconds. */
const handshakeMs = 10_000

/** A certificate file or key file larger than this is a mistake. */
const maxFileBytes = 1 << 20

/** Reads certificate and key and checks that they belong together. Throws CertificateProblem. */
export async function readCertificate(
  options: TlsOptions,
): Promise<{ readonly context: SecureContextOptions; readonly certificate: X509Certificate }> {
  // One after the other: when both files are missing, the report always names the certificate.
  const cert = await readPem('CERT_FILE', options.certFile)
  const key = await readPem('KEY_FILE', options.keyFile)
  const certificate = attempt(
    'CERT_FILE',
    options.certFile,
    'holds no certificate in PEM',
    () => new X509Certificate(cert),
  )
  const isEncrypted = /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(key)
  if (isEncrypted) throw new CertificateProblem('KEY_FILE', `${options.keyFile}: the key must not have a passphrase`)
  const privateKey = attempt('KEY_FILE', options.keyFile, 'holds no private key in PEM', () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CertificateProblem(
      'KEY_FILE',
      `${options.keyFile}: the key does not belong to the first certificate of ${options.certFile}`,
    )
  }
  const context: SecureContextOptions = {
    cert,
    key,
    minVersion: options.minVersion,
    maxVersion: options.maxVersion,
    ecdhCurve: options.curves,
    // A client that lacks one curve still reaches the server; the order of the list is the server's preference.
    honorCipherOrder: true,
    ...(options.ciphers === undefined ? {} : { ciphers: options.ciphers }),
  }
  // OpenSSL refuses here what it finds too weak, such as RSA keys of 512 bits.
  attempt('CERT_FILE', options.certFile, 'OpenSSL refuses the certificate', () => createSecureContext(context))
  return { context, certificate }
}

async function readPem(key: 'CERT_FILE' | 'KEY_FILE', path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > maxFileBytes) throw new CertificateProblem(key, `${path}: is larger than ${maxFileBytes} bytes`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof CertificateProblem) throw error
    const code = String((error as { code?: unknown }).code)
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'does not exist',
      EACCES: 'may not be read by this account',
      EISDIR: 'is a folder',
    }
    throw new CertificateProblem(key, `${path}: ${reasons[code] ?? `cannot be read (${code})`}`)
  }
}

function attempt<Result>(key: 'CERT_FILE' | 'KEY_FILE', path: string, fault: string, make: () => Result): Result {
  try {
    return make()
  } catch (error) {
    const detail = (error as { code?: unknown; message?: unknown }).message
    throw new CertificateProblem(key, `${path}: ${fault} (${String(detail)})`)
  }
}

/** Serves HTTP over TLS, and loads a renewed certificate without a restart. */
export class TlsFront {
  readonly #options: TlsOptions
  readonly #log: Log
  #context: SecureContextOptions
  #server: Server | undefined
  readonly #watch: NodeJS.Timeout
  /** File states at the last load and at the last check. */
  #readState: string
  #seenState: string

  private constructor(options: TlsOptions, log: Log, context: SecureContextOptions, state: string) {
    this.#options = options
    this.#log = log
    this.#context = context
    this.#readState = state
    this.#seenState = state
    this.#watch = setInterval(() => void this.#look(), watchIntervalMs).unref()
  }

  /** Throws CertificateProblem. */
  static async open(options: TlsOptions, log: Log): Promise<TlsFront> {
    const state = await stateOf(options)
    const { context, certificate } = await readCertificate(options)
    warnOfDates(certificate, log)
    return new TlsFront(options, log, context, state)
  }

  createServer(options: ServerOptions, listener: RequestListener): Server {
    this.#server = createServer(
      { ...options, ...this.#context, handshakeTimeout: handshakeMs, ALPNProtocols: ['http/1.1'] },
      listener,
    )
    return this.#server
  }

  /** Reads the files again. When they cannot be used, the certificate in use stays and the log says why. */
  async reload(): Promise<void> {
    const { certFile } = this.#options
    try {
      const state = await stateOf(this.#options)
      this.#readState = state
      this.#seenState = state
      const { context, certificate } = await readCertificate(this.#options)
      this.#context = context
      this.#server?.setSecureContext(context)
      this.#log('info', 'the certificate was read again', { certFile, validTo: certificate.validTo })
      warnOfDates(certificate, this.#log)
    } catch (error) {
      if (!(error instanceof CertificateProblem)) throw error
      this.#log('error', `the former certificate stays in use: [server] ${error.key}: ${error.message}`, { certFile })
    }
  }

  close(): void {
    clearInterval(this.#watch)
  }

  /** Files that are still being replaced change between two looks: only a state that was seen twice is read. */
  async #look(): Promise<void> {
    const state = await stateOf(this.#options)
    const isSettled = state === this.#seenState
    this.#seenState = state
    if (isSettled && state !== this.#readState) await this.reload()
  }
}

/** What tells that one of the files was written or replaced; a link counts as the file it leads to. */
async function stateOf({ certFile, keyFile }: TlsOptions): Promise<string> {
  const states = [certFile, keyFile].map(async (path) => {
    try {
      const { dev, ino, size, mtimeMs } = await stat(path)
      return [dev, ino, size, mtimeMs].join(' ')
    } catch (error) {
      // The load reports the reason; this function only detects changes.
      return String((error as { code?: unknown }).code)
    }
  })
  return (await Promise.all(states)).join('\n')
}

function warnOfDates({ validFromDate, validToDate, validTo, validFrom }: X509Certificate, log: Log): void {
  const now = Date.now()
  if (validToDate.getTime() <= now) log('warn', 'clients will refuse the certificate, which has expired', { validTo })
  if (validFromDate.getTime() > now) {
    log('warn', 'clients will refuse the certificate, which is not valid yet', { validFrom })
  }
}
