import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lastingPort } from '../../testing/lasting-port.ts'
import { until } from '../../testing/until.ts'

/** Debian's path; administrative folders may be missing from PATH. */
const folderOfPrograms = ['/usr/sbin', '/usr/local/sbin'].find((path) => existsSync(join(path, 'slapd')))

/** Why no directory server is available, for a test that is then skipped. `.ci/run` installs it. */
export const whyNoSlapd = folderOfPrograms === undefined ? 'slapd is needed (Debian: apt-get install slapd)' : undefined

/** A temporary OpenLDAP server. */
export class TestDirectory implements AsyncDisposable {
  readonly port: number
  readonly tlsPort: number
  readonly #folder: string
  readonly #server: ChildProcess
  #errorOutput = ''

  private constructor(folder: string, port: number, tlsPort: number) {
    this.#folder = folder
    this.port = port
    this.tlsPort = tlsPort
    const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${tlsPort}/`
    const args = ['-d', '0', '-f', join(folder, 'slapd.conf'), '-h', urls]
    this.#server = spawn(join(folderOfPrograms as string, 'slapd'), args, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#server.stderr?.on('data', (text: Buffer) => (this.#errorOutput += text.toString('utf8')))
  }

  static readonly base = 'dc=example,dc=com'
  static readonly reader = 'cn=reader,dc=example,dc=com'
  static readonly readerPassword = 'of-the-reader'

  /** @param entries LDIF below the existing base */
  static async start(entries: string): Promise<TestDirectory> {
    const folder = mkdtempSync(join(tmpdir(), 'ingot-slapd-'))
    mkdirSync(join(folder, 'db'))
    writeFileSync(join(folder, 'key.pem'), privateKey, { mode: 0o600 })
    writeFileSync(join(folder, 'cert.pem'), certificate)
    writeFileSync(join(folder, 'slapd.conf'), configuration(folder))
    writeFileSync(join(folder, 'entries.ldif'), `${beginning}\n${entries}`)
    const args = ['-f', join(folder, 'slapd.conf'), '-l', join(folder, 'entries.ldif')]
    await promisify(execFile)(join(folderOfPrograms as string, 'slapadd'), args)
    const [port, tlsPort] = [await lastingPort(), await lastingPort()]
    const directory = new TestDirectory(folder, port, tlsPort)
    try {
      await until(() => accepts(port), 'slapd listens')
    } catch (error) {
      const output = directory.#errorOutput
      await directory[Symbol.asyncDispose]()
      throw new Error(`slapd did not start: ${output}`, { cause: error })
    }
    return directory
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.exitCode === null) {
      this.#server.kill('SIGTERM')
      await once(this.#server, 'exit')
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

const configuration = (folder: string): string => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
pidfile ${folder}/pid
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
database mdb
maxsize 16777216
dbnosync
suffix "${TestDirectory.base}"
rootdn "cn=root,${TestDirectory.base}"
rootpw of-root
directory ${folder}/db
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${TestDirectory.reader}" read by users read by * none
`

const beginning = `dn: ${TestDirectory.base}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ${TestDirectory.reader}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${TestDirectory.readerPassword}
`

/** For tests only: anyone can trust this authority's key. */
const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7UpiFOzw82Vlv0Oz
7UGYjHiRjbIRyrtSHtgXST3jqnWhRANCAAQZRxEunB9/zEUJmOimq4PzB2HseuBz
veC0R85pVA573HJuYUimCn0pj2QySl9QcI7WkieWdPGQb4fIz9pG6ow7
-----END PRIVATE KEY-----
`
const certificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUVA5CFHAa7SegFhBvormzIfUZEFswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzAwMDQwMFoYDzIxMjYxMDMw
MDAwNDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQZRxEunB9/zEUJmOimq4PzB2HseuBzveC0R85pVA573HJuYUimCn0p
j2QySl9QcI7WkieWdPGQb4fIz9pG6ow7o28wbTAdBgNVHQ4EFgQUTzG6QnvKI2CD
2hKG5A0fMCxTWK8wHwYDVR0jBBgwFoAUTzG6QnvKI2CD2hKG5A0fMCxTWK8wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAIQPz21tRp0IITZ8ubj1G3u+20OwhZumE1tlofO2qyCjAiAW
tw/TuF2ZEcp8N/zDM05/E1cZLFVBBWH/Pe/PNuURDg==
-----END CERTIFICATE-----
`
