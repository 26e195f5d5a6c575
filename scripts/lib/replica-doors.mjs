/** The doors of one replica, for a test that chooses the replica of each request. */
import { execFile } from 'node:child_process'
import { clientOf } from './replica-client.mjs'

const sshTimeoutMs = 60_000
/** The cookie of the browser and the field of its forms, which the server compares. */
const formSecret = 'replicas-replicas-replicas'

function headersOf(credential) {
  if (typeof credential === 'string') return { authorization: `token ${credential}` }
  const { login, password, cookie, bearer } = credential ?? {}
  if (bearer !== undefined) return { authorization: `Bearer ${bearer}` }
  if (cookie !== undefined) return { cookie: `${cookie}; _csrf=${formSecret}` }
  return login === undefined
    ? { cookie: `_csrf=${formSecret}` }
    : { authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}` }
}

/**
 * Returns functions that use one replica. A credential is a token, `{ login, password }`, `{ bearer }`, `{ cookie }` of a
 * session, or undefined for a guest.
 */
export function doorsOf({ url, ports }, git) {
  const below =
    (base) =>
    (credential, method, path, body, headers = {}) =>
      clientOf(url, undefined, base)(method, path, body, { ...headersOf(credential), ...headers })
  const site = below('')
  const form = (credential, path, fields) =>
    site(credential, 'POST', path, Buffer.from(new URLSearchParams(fields).toString()), {
      'content-type': 'application/x-www-form-urlencoded',
    })
  const remoteOf = (token, path) =>
    `${token === undefined ? url : url.replace('://', `://token:${token}@`)}/${path}.git`
  const taken = async (token, path, clone, ref) =>
    (await git(clone, 'push', '-q', remoteOf(token, path), ref)).code === 0
  return {
    /** Sends a request to the API. */
    api: below('/api/v1'),
    /** Sends a request to the part of the API that is not of the contract. */
    own: below('/api/service/v1'),
    /** Sends a request to an address outside of the API. */
    site,
    /** Sends a form of a page. */
    form: (credential, path, fields = {}) => form(credential, path, { _csrf: formSecret, ...fields }),
    /** Sends a form that is not of a page. */
    plainForm: (path, fields) => form(undefined, path, fields),
    /** Returns the references of a repository as git lists them over HTTP; undefined when git refuses. */
    async references(token, path) {
      const { code, out } = await git('.', 'ls-remote', '--symref', remoteOf(token, path))
      return code === 0 ? out : undefined
    },
    /** Returns whether a push of `HEAD` of a clone is taken. */
    push: taken,
    /** Pushes, and answers as a request. */
    pushed: async (...push) => ({ status: (await taken(...push)) ? 200 : 0 }),
    /** Returns whether a key reads a repository over SSH. */
    readsBySsh: (keyFile, path) =>
      new Promise((done) => {
        const options = [
          'StrictHostKeyChecking=no',
          'UserKnownHostsFile=/dev/null',
          'IdentitiesOnly=yes',
          'BatchMode=yes',
        ]
        const child = execFile(
          'ssh',
          [
            ...options.flatMap((option) => ['-o', option]),
            ...['-F', 'none', '-q', '-i', keyFile, '-p', String(ports[1]), 'git@127.0.0.1'],
            `git-upload-pack '/${path}.git'`,
          ],
          { timeout: sshTimeoutMs },
          (_, out) => done(out.includes('refs/heads/')),
        )
        // A refused client reads nothing.
        child.stdin.on('error', () => {})
        child.stdin.end('0000')
      }),
  }
}
