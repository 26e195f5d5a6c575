/** Requests that reach several replicas at once, of which one may win, or all. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { base64, clientOf, eventually, formOf, gitIn, must, mustGit, startReceiver } from './replica-client.mjs'

const statusesOf = (replies) => replies.map(({ status }) => status).sort((a, b) => a - b)

/** Plays all races. `set` are the replicas, `token` one of the administrator, `work` an empty folder. */
export async function playRaces({ set, token, work, say }) {
  const clients = set.replicas.map(({ url }) => clientOf(url, token))
  const any = clientOf(set.url, token)
  const git = gitIn(work)
  /** Sends a request to each replica, `times` times, all at once. */
  const everywhere = (times, send) =>
    Promise.all(
      Array.from({ length: times * clients.length }, (_, index) => send(clients[index % clients.length], index)),
    )
  const remoteOf = ({ url }, path) => `${url.replace('://', `://root:${token}@`)}/${path}.git`

  const made = await everywhere(2, (client) =>
    client('POST', '/user/repos', { name: 'races', auto_init: true, default_branch: 'main' }),
  )
  assert.deepEqual(statusesOf(made), [201, 409, 409, 409, 409, 409], 'one name is taken once')
  const api = '/repos/root/races'

  const issues = await everywhere(10, (client, index) => client('POST', `${api}/issues`, { title: `race ${index}` }))
  const numbers = issues.map(({ json }) => json?.number)
  assert.equal(new Set(numbers).size, issues.length, `one number is given once: ${numbers.join(' ')}`)
  say(`${issues.length} issues at once have numbers of their own`)

  const files = await everywhere(4, (client, index) =>
    client('POST', `${api}/contents/f-${index}`, {
      content: base64(`${index}\n`),
      branch: 'main',
      message: `race ${index}`,
    }),
  )
  assert.deepEqual(
    statusesOf(files),
    files.map(() => 201),
    'each commit to one branch is made',
  )
  const { length } = await must(any('GET', `${api}/contents`), 'the files')
  assert.equal(length, files.length + 1, 'every acknowledged file is there')
  say(`${files.length} commits to one branch at once are all made`)

  const heads = await must(any('GET', `${api}/commits?limit=6`), 'the commits')
  for (let round = 0; round < 5; round++) {
    const branches = await everywhere(2, (client, index) =>
      client('POST', `${api}/branches`, { new_branch_name: `one-${round}`, old_ref_name: heads[index].sha }),
    )
    const won = branches.filter(({ status }) => status === 201)
    assert.equal(won.length, 1, `one of the requests makes a branch: ${statusesOf(branches).join(' ')}`)
    const present = await must(any('GET', `${api}/branches/one-${round}`), 'the branch')
    assert.equal(present.commit.id, won[0].json.commit.id)
  }
  say('of several values of a new branch, one wins')

  const clones = []
  for (const [index, replica] of set.replicas.entries()) {
    const clone = join(work, `race-${index}`)
    await mustGit(git(work, 'clone', '-q', remoteOf(replica, 'root/races'), clone))
    clones.push(clone)
  }
  for (let round = 0; round < 5; round++) {
    const pushed = await Promise.all(
      clones.map(async (clone, index) => {
        await mustGit(git(clone, 'fetch', '-q'))
        await mustGit(git(clone, 'reset', '-q', '--hard', 'origin/main'))
        writeFileSync(join(clone, 'raced'), `${round} ${index}\n`)
        await mustGit(git(clone, 'add', '.'))
        await mustGit(git(clone, 'commit', '-q', '-m', `push ${round} ${index}`))
        const oid = await mustGit(git(clone, 'rev-parse', 'HEAD'))
        return {
          oid,
          ...(await git(clone, 'push', '-q', 'origin', 'HEAD:main', `HEAD:refs/heads/own-${round}-${index}`)),
        }
      }),
    )
    const head = (await must(any('GET', `${api}/branches/main`), 'the branch')).commit.id
    const winners = pushed.filter(({ code }) => code === 0)
    assert.equal(winners.length, 1, `one push wins: ${pushed.map(({ err }) => err).join('\n')}`)
    assert.equal(winners[0].oid, head)
  }
  say('of pushes of different commits to one branch, one wins')

  await must(
    any('POST', `${api}/contents/topic`, { content: base64('t'), branch: 'main', new_branch: 'topic' }),
    'a file',
  )
  const pull = await must(any('POST', `${api}/pulls`, { base: 'main', head: 'topic', title: 'race' }), 'a pull request')
  const merges = await everywhere(2, (client) => client('POST', `${api}/pulls/${pull.number}/merge`, { Do: 'merge' }))
  assert.equal(merges.filter(({ status }) => status === 200).length, 1, statusesOf(merges).join(' '))
  const log = await must(any('GET', `${api}/commits?limit=50`), 'the commits')
  assert.equal(log.filter(({ parents }) => parents.length === 2).length, 1, 'a pull request is merged once')
  say('a pull request is merged once')

  const limit = 100_000
  await must(any('POST', '/admin/quota/rules', { name: 'race', limit, subjects: ['size:assets:all'] }), 'a rule')
  await must(any('POST', '/admin/quota/groups', { name: 'race', rules: [{ name: 'race' }] }), 'a group')
  const user = {
    username: 'racer',
    email: 'racer@example.com',
    password: 'Racer-Passw0rd!',
    must_change_password: false,
  }
  await must(any('POST', '/admin/users', user), 'a user')
  await must(any('PUT', '/admin/quota/groups/race/users/racer'), 'the group of a user')
  const repo = await must(any('POST', '/admin/users/racer/repos', { name: 'full', auto_init: true }), 'a repository')
  const one = await must(any('POST', `/repos/${repo.full_name}/issues`, { title: 'files' }), 'an issue')
  const content = Buffer.alloc(60_000, 'x')
  const uploads = await everywhere(3, (client, index) =>
    client('POST', `/repos/${repo.full_name}/issues/${one.number}/assets`, formOf(`${index}.txt`, content)),
  )
  const kept = uploads.filter(({ status }) => status === 201).length
  assert.ok(kept > 0 && kept <= 2, `a quota is crossed by at most one upload: ${statusesOf(uploads).join(' ')}`)
  say(`of ${uploads.length} uploads at once, ${kept} fit a quota that one may cross`)

  const receiver = await startReceiver()
  const hook = {
    type: 'gitea',
    active: true,
    events: ['push', 'release', 'wiki'],
    config: { url: receiver.url, content_type: 'json' },
  }
  await must(any('POST', `${api}/hooks`, hook), 'a webhook')
  const remote = remoteOf(set, 'root/races')
  const session = join(work, 'session')
  mkdirSync(session)
  await mustGit(git(session, 'clone', '-q', remote, '.'))
  const pushes = []
  for (let count = 0; count < 20; count++) {
    writeFileSync(join(session, 'hooked'), `${count}\n`)
    await mustGit(git(session, 'add', '.'))
    await mustGit(git(session, 'commit', '-q', '-m', `hooked ${count}`))
    await mustGit(git(session, 'push', '-q', 'origin', 'HEAD:main'))
    pushes.push(await mustGit(git(session, 'rev-parse', 'HEAD')))
  }
  const release = await must(
    any('POST', `${api}/releases`, { tag_name: 'v1', target_commitish: 'main', name: 'one' }),
    'a release',
  )
  const asset = await must(
    any('POST', `${api}/releases/${release.id}/assets?name=a.bin`, formOf('a.bin', content)),
    'an asset',
  )
  for (const { url } of set.replicas) {
    const found = await clientOf(url, token, '')('GET', new URL(asset.browser_download_url).pathname)
    assert.equal(found.status, 200)
    assert.equal(found.text.length, content.length)
  }
  await must(any('POST', `${api}/wiki/new`, { title: 'Home', content_base64: base64('wiki') }), 'a page of the wiki')
  for (const client of clients) await must(client('GET', `${api}/wiki/page/Home`), 'a page of the wiki')
  const expected = [...pushes, 'release', 'wiki', 'refs/tags/v1']
  const nameOf = ({ event, payload }) =>
    event !== 'push' ? event : payload.ref.startsWith('refs/tags/') ? payload.ref : payload.after
  await eventually('the deliveries', async () => receiver.received.length >= expected.length)
  // A delivery that came twice would come soon.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  receiver.close()
  assert.deepEqual(receiver.received.map(nameOf).sort(), expected.sort(), 'each delivery comes once')
  assert.deepEqual(
    receiver.received.map(nameOf).filter((name) => pushes.includes(name)),
    pushes,
    'in order',
  )
  say(`${expected.length} deliveries came once each and in order`)
}
