import type { Forge } from '../../src/testing/forge.ts'
import { base64, publicKey } from '../../src/testing/samples.ts'
import { upload } from '../../src/testing/upload.ts'
import type { ForgeClient } from '../../src/testing/client.ts'
import { Browser } from '../../src/testing/browser.ts'
import { Known } from './known.ts'

/** Who sends a request; pages are opened with `browser`. */
export interface Caller {
  readonly name: string
  readonly client: ForgeClient
  readonly browser: Browser
}

/** Accounts, repositories and their contents for one part of the run; requests may delete them. */
export interface World {
  readonly known: Known
  readonly callers: readonly Caller[]
  /** Repositories as `[owner, name]`. */
  readonly repos: readonly (readonly [string, string])[]
  readonly logins: readonly string[]
  readonly orgs: readonly string[]
}

const workflow =
  'on: [push, workflow_dispatch]\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: true\n'

/** Creates one of everything, with new accounts. */
export async function makeWorld(forge: Forge, number: number): Promise<World> {
  const [admin, owner, other, org] = ['boss', 'owner', 'other', 'guild'].map((name) => `${name}${number}`) as [
    string,
    string,
    string,
    string,
  ]
  await forge.addUser(admin, { isAdmin: true })
  for (const name of [owner, other]) await forge.addUser(name)
  const known = new Known()
  const must = async (who: string, method: string, path: string, body?: unknown, more = {}): Promise<void> => {
    const { json } = await forge.as(who).must(method, path, body, more)
    known.harvest(path, json)
  }
  const repos = [
    [owner, 'tool'],
    [owner, 'hidden'],
    [org, 'shared'],
  ] as const
  await must(owner, 'POST', '/user/repos', { name: 'tool', auto_init: true })
  await must(owner, 'POST', '/user/repos', { name: 'hidden', auto_init: true, private: true })
  await must(owner, 'POST', '/orgs', { username: org })
  await must(owner, 'POST', `/orgs/${org}/repos`, { name: 'shared', auto_init: true })
  await must(owner, 'GET', `/orgs/${org}/teams`)
  await must(owner, 'POST', `/orgs/${org}/labels`, { name: 'org label', color: '#00ff00' })
  await must(owner, 'POST', `/orgs/${org}/hooks`, hook)
  await must(owner, 'POST', '/user/keys', { title: 'key', key: freshKey(number * 2) })
  await must(owner, 'POST', '/user/hooks', hook)
  await must(owner, 'POST', '/user/applications/oauth2', { name: 'app', redirect_uris: ['https://app.invalid/'] })
  await must(owner, 'PUT', '/user/actions/variables/NAME', { value: 'x' }).catch(() => undefined)
  await must(other, 'POST', '/user/repos', { name: 'own', auto_init: true })
  await must(other, 'PUT', `/user/following/${owner}`)
  for (const [repoOwner, name] of repos) {
    const api = `/repos/${repoOwner}/${name}`
    await must(owner, 'POST', `${api}/contents/.forgejo/workflows/ci.yaml`, { content: base64(workflow) })
    await must(owner, 'POST', `${api}/contents/src/a.txt`, { content: base64('one\n'), new_branch: 'topic' })
    await must(owner, 'POST', `${api}/labels`, { name: 'bug', color: '#ff0000' })
    await must(owner, 'POST', `${api}/milestones`, { title: 'first' })
    await must(owner, 'POST', `${api}/issues`, { title: 'an issue', body: `see @${other} and #1`, assignees: [owner] })
    await must(owner, 'POST', `${api}/issues/1/comments`, { body: 'a comment' })
    await must(owner, 'POST', `${api}/issues/1/times`, { time: 60 })
    await must(owner, 'POST', `${api}/issues/1/reactions`, { content: '+1' })
    await must(owner, 'POST', `${api}/issues/1/assets`, undefined, upload('a.txt', 'bytes'))
    await must(owner, 'POST', `${api}/pulls`, { title: 'a change', head: 'topic', base: 'main' })
    await must(owner, 'POST', `${api}/pulls/2/reviews`, {
      body: 'fine',
      event: 'COMMENT',
      comments: [{ path: 'src/a.txt', body: 'here', new_position: 1 }],
    })
    await must(owner, 'POST', `${api}/tags`, { tag_name: 'v0' })
    await must(owner, 'POST', `${api}/releases`, { tag_name: 'v1', name: 'first' })
    await must(owner, 'POST', `${api}/wiki/new`, { title: 'Home', content_base64: base64('# Home') })
    await must(owner, 'POST', `${api}/hooks`, hook)
    await must(owner, 'POST', `${api}/branch_protections`, { rule_name: 'kept/*' })
    await must(owner, 'POST', `${api}/tag_protections`, { name_pattern: 'kept-*', whitelist_usernames: [owner] })
    await must(owner, 'PUT', `${api}/topics`, { topics: ['tools'] })
    await must(owner, 'PUT', `${api}/collaborators/${other}`, { permission: 'write' })
    for (const list of ['commits', 'branches', 'git/refs', 'contents', 'git/trees/main', 'actions/tasks', 'teams']) {
      await must(owner, 'GET', `${api}/${list}`).catch(() => undefined)
    }
  }
  await must(owner, 'GET', '/notifications')
  await forge.as(owner).must('PUT', `/api/packages/${owner}/generic/thing/1.0.0/file.bin`, undefined, {
    site: true,
    raw: 'bytes',
  })
  await must(owner, 'GET', `/packages/${owner}`)
  const narrow = await forge
    .as(admin, { basic: { login: owner, password: 'Passw0rd!' } })
    .must('POST', `/users/${owner}/tokens`, {
      name: 'narrow',
      scopes: ['read:repository', 'write:issue', 'public-only'],
    })
  known.harvest(`/users/${owner}/tokens`, { id: narrow.json.id, name: 'narrow' })
  const browsers = {
    admin: await Browser.of(forge, admin),
    owner: await Browser.of(forge, owner),
    other: await Browser.of(forge, other),
    guest: new Browser(forge),
  }
  await browsers.guest.get('/')
  return {
    known,
    callers: [
      ...repeated(6, { name: 'the administrator', client: forge.as(admin), browser: browsers.admin }),
      ...repeated(8, { name: 'the owner', client: forge.as(owner), browser: browsers.owner }),
      ...repeated(3, { name: 'another', client: forge.as(other), browser: browsers.other }),
      { name: 'a narrow token', client: forge.as(owner, { token: narrow.json.sha1 }), browser: browsers.other },
      {
        name: 'a password',
        client: forge.as(owner, { basic: { login: owner, password: 'Passw0rd!' } }),
        browser: browsers.owner,
      },
      { name: 'a guest', client: forge.guest, browser: browsers.guest },
    ],
    repos: [...repos, [other, 'own']],
    logins: [owner, other, org, admin],
    orgs: [org],
  }
}

const hook = {
  type: 'gitea',
  active: true,
  events: ['push', 'issues'],
  config: { url: 'http://127.0.0.1:9/', content_type: 'json', secret: 'kept' },
}

/** The sample key with another point; its private half does not exist. */
function freshKey(number: number): string {
  const [kind, encoded = ''] = publicKey.split(' ')
  const bytes = Buffer.from(encoded, 'base64')
  bytes.writeUInt32BE(number + 1, bytes.length - 20)
  return `${kind} ${bytes.toString('base64')}`
}

const repeated = <Each>(count: number, each: Each): Each[] => Array.from({ length: count }, () => each)
