/** What changes of the replicas test need: people, repositories, sessions, keys and applications, made through nginx. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { base64, clientOf, formOf, gitIn, must, mustGit } from './replica-client.mjs'
import { doorsOf } from './replica-doors.mjs'

export const password = 'Changed-Passw0rd!'
const callback = 'https://app.example.com/callback'

/** Returns a function that sends requests of the API with a token and returns the JSON of a success. */
const askerOf = (url, token) => (method, path, body) =>
  must(clientOf(url, token)(method, path, body), `${method} ${path}`)

/** Returns the body of a publication to an npm registry. */
const npmBody = (name, version) => ({
  name,
  'dist-tags': { latest: version },
  versions: { [version]: { name, version, dist: {} } },
  _attachments: { [`${name}-${version}.tgz`]: { data: base64(version), length: version.length } },
})

/** `set` are the replicas, `token` one of the administrator, `work` a folder for files of tests. */
export function makeWorld({ set, token: root, work }) {
  const git = gitIn(work)
  const ask = askerOf(set.url, root)
  /** Any replica, chosen by nginx. */
  const any = doorsOf({ url: set.url, ports: [0, set.ssh.split(':')[1]] }, git)
  let count = 0
  const fresh = (kind) => `${kind}-${(count += 1)}`

  async function signIn(login) {
    const { status, headers } = await any.form(undefined, '/user/login', { user_name: login, password })
    if (status !== 303) throw new Error(`${login} could not sign in: ${status}`)
    return headers
      .getSetCookie()
      .map((each) => each.split(';', 1)[0])
      .filter((each) => !each.startsWith('_csrf='))
      .join('; ')
  }

  async function person() {
    const name = fresh('person')
    const email = `${name}@example.com`
    await ask('POST', '/admin/users', { username: name, email, password, must_change_password: false })
    const tokenNamed = (title) =>
      must(any.api({ login: name, password }, 'POST', `/users/${name}/tokens`, { name: title, scopes: ['all'] }), title)
    const { sha1: token } = await tokenNamed('test')
    return { name, email, token, tokenNamed, ask: askerOf(set.url, token), signIn: () => signIn(name) }
  }

  /** Makes a repository with a file. Returns its full name. */
  async function repo({ owner = 'root', ...more } = {}) {
    const fields = { name: fresh('repo'), auto_init: true, default_branch: 'main', ...more }
    return (await ask('POST', `/admin/users/${owner}/repos`, fields)).full_name
  }

  /** Makes an organization with a repository. Returns its name and the full name of the repository. */
  async function organization(more = {}) {
    const name = fresh('organization')
    await ask('POST', '/orgs', { username: name })
    const fields = { name: 'repo', auto_init: true, default_branch: 'main', ...more }
    return { name, path: (await ask('POST', `/orgs/${name}/repos`, fields)).full_name }
  }

  return {
    root,
    ask,
    any,
    /** The doors of each replica. */
    doors: set.replicas.map((replica) => doorsOf(replica, git)),
    fresh,
    person,
    repo,
    /** Returns a person who may write a private repository, and the repository. */
    async member() {
      const path = await repo({ private: true })
      const somebody = await person()
      await ask('PUT', `/repos/${path}/collaborators/${somebody.name}`, { permission: 'write' })
      return { ...somebody, path }
    },
    commit: (path, file, text, more = {}) =>
      ask('POST', `/repos/${path}/contents/${file}`, { content: base64(text), branch: 'main', ...more }),
    async sshKey() {
      const file = join(work, fresh('key'))
      await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
      return { file, key: readFileSync(`${file}.pub`, 'utf8').trim() }
    },
    /** Clones a repository and adds a commit. Returns the folder and the id of the commit. */
    async clone(path, file = 'added') {
      const folder = join(work, fresh('clone'))
      await mustGit(git(work, 'clone', '-q', `${set.url.replace('://', `://token:${root}@`)}/${path}.git`, folder))
      writeFileSync(join(folder, file), file)
      await mustGit(git(folder, 'add', '.'))
      await mustGit(git(folder, 'commit', '-q', '-m', file))
      return { folder, oid: await mustGit(git(folder, 'rev-parse', 'HEAD')) }
    },
    organization,
    /** Returns a member of a team that may write a private repository of an organization. */
    async team() {
      const { name, path } = await organization({ private: true })
      const { id } = await ask('POST', `/orgs/${name}/teams`, {
        name: 'writers',
        permission: 'write',
        units_map: { 'repo.code': 'write' },
      })
      const somebody = await person()
      await ask('PUT', `/teams/${id}/members/${somebody.name}`)
      await ask('PUT', `/teams/${id}/repos/${path}`)
      return { ...somebody, id, path }
    },
    upload: (at, credential, path) => at.api(credential, 'POST', path, formOf('file.txt', 'text')),
    npmBody,
    npm: (owner, name, version) =>
      must(any.site(root, 'PUT', `/api/packages/${owner}/npm/${name}`, npmBody(name, version)), 'a package'),
    /** Registers a runner of a repository, which calls methods through the doors of any replica. */
    async runner(path) {
      const { token } = await ask('GET', `/repos/${path}/actions/runners/registration-token`)
      const call = (at, method, body, headers) =>
        at.site(undefined, 'POST', `/api/actions/runner.v1.RunnerService/${method}`, body, headers)
      const register = (at, given) => call(at, 'Register', { name: fresh('runner'), token: given, labels: ['here'] })
      const { runner } = await must(register(any, token), 'a runner')
      const headers = { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token }
      return {
        id: runner.id,
        register,
        call: (at, method, body, more) => call(at, method, body, { ...headers, ...more }),
      }
    },
    /** Uploads a generic package. Returns its address. */
    async generic(owner, name = fresh('package')) {
      const path = `/api/packages/${owner}/generic/${name}/1/file.txt`
      await must(any.site(root, 'PUT', path, Buffer.from(name)), 'a package')
      return path
    },
    /** Makes an OAuth2 application of a person, and lets the person grant access to it. */
    async application({ ask: asOwner, signIn: enter }) {
      const app = await asOwner('POST', '/user/applications/oauth2', {
        name: fresh('application'),
        confidential_client: true,
        redirect_uris: [callback],
      })
      const cookie = await enter()
      async function code() {
        const query = { client_id: app.client_id, redirect_uri: callback, response_type: 'code', state: 'x' }
        let answer = await any.site({ cookie }, 'GET', `/login/oauth/authorize?${new URLSearchParams(query)}`)
        if (answer.status === 200) {
          const form = [...answer.text.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].find(([text]) =>
            text.includes('/login/oauth/grant'),
          )
          const fields = [...form[0].matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
          answer = await any.form({ cookie }, '/login/oauth/grant', {
            ...Object.fromEntries(fields.map(([, name, value]) => [name, value.replaceAll('&amp;', '&')])),
            granted: 'true',
          })
        }
        return new URL(answer.headers.get('location')).searchParams.get('code')
      }
      const { client_id, client_secret } = app
      const exchange = (at, fields) =>
        at.plainForm('/login/oauth/access_token', { client_id, client_secret, ...fields })
      const withCode = (given) => ({ grant_type: 'authorization_code', code: given, redirect_uri: callback })
      return {
        id: app.id,
        code,
        /** Exchanges a code for tokens. */
        exchangeCode: (at, given) => exchange(at, withCode(given)),
        refresh: (at, given) => exchange(at, { grant_type: 'refresh_token', refresh_token: given }),
        tokens: async () => must(exchange(any, withCode(await code())), 'tokens'),
      }
    },
  }
}
