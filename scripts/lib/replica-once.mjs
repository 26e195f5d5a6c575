/** What exists or works once, although every replica is asked for it at the same time. */
import assert from 'node:assert/strict'
import { base64, statusOf } from './replica-client.mjs'

const isSuccess = (status) => status >= 200 && status <= 299

/** Each returns a request that succeeds once, as a function of the doors of a replica and the number of the request. */
const once = {
  'an account of one name': async ({ root, fresh }) => {
    const username = fresh('once')
    return (at, index) =>
      at.api(root, 'POST', '/admin/users', {
        username,
        email: `${username}-${index}@example.com`,
        password: 'Once-Passw0rd!',
      })
  },
  'an account of one address': async ({ root, fresh }) => {
    const email = `${fresh('once')}@example.com`
    const names = Array.from({ length: 9 }, () => fresh('once'))
    return (at, index) =>
      at.api(root, 'POST', '/admin/users', { username: names[index], email, password: 'Once-Passw0rd!' })
  },
  'an organization': async ({ root, fresh }) => {
    const username = fresh('once')
    return (at) => at.api(root, 'POST', '/orgs', { username })
  },
  'a team': async ({ root, organization }) => {
    const { name } = await organization()
    const team = { name: 'once', permission: 'read', units: ['repo.code'] }
    return (at) => at.api(root, 'POST', `/orgs/${name}/teams`, team)
  },
  'a fork': async ({ repo, person }) => {
    const path = await repo()
    const { token } = await person()
    return (at) => at.api(token, 'POST', `/repos/${path}/forks`, {})
  },
  'the new name of a repository': async ({ root, repo, fresh }) => {
    const paths = await Promise.all(Array.from({ length: 6 }, () => repo()))
    const name = fresh('once')
    return (at, index) => at.api(root, 'PATCH', `/repos/${paths[index]}`, { name })
  },
  'a tag': async ({ root, repo }) => {
    const path = await repo()
    return (at) => at.api(root, 'POST', `/repos/${path}/tags`, { tag_name: 'v1' })
  },
  'a release': async ({ root, repo }) => {
    const path = await repo()
    return (at) => at.api(root, 'POST', `/repos/${path}/releases`, { tag_name: 'v1', name: 'once' })
  },
  'a page of a wiki': async ({ root, repo }) => {
    const path = await repo()
    return (at, index) =>
      at.api(root, 'POST', `/repos/${path}/wiki/new`, { title: 'Once', content_base64: base64(String(index)) })
  },
  'a pull request of one branch': async ({ root, repo, commit }) => {
    const path = await repo()
    await commit(path, 'topic', 'topic', { new_branch: 'topic' })
    return (at) => at.api(root, 'POST', `/repos/${path}/pulls`, { base: 'main', head: 'topic', title: 'once' })
  },
  'a protection': async ({ root, repo }) => {
    const path = await repo()
    return (at) => at.api(root, 'POST', `/repos/${path}/branch_protections`, { rule_name: 'main' })
  },
  'a key of two people': async ({ person, sshKey }) => {
    const people = await Promise.all(Array.from({ length: 6 }, () => person()))
    const { key } = await sshKey()
    return (at, index) => at.api(people[index].token, 'POST', '/user/keys', { title: 'once', key })
  },
  'a file of a package': async ({ root, person, fresh }) => {
    const { name } = await person()
    const path = `/api/packages/${name}/generic/once/1/${fresh('file')}`
    return (at, index) => at.site(root, 'PUT', path, Buffer.from(`content ${index}`))
  },
  'a version of an npm package': async ({ root, person, npmBody }) => {
    const { name } = await person()
    return (at) => at.site(root, 'PUT', `/api/packages/${name}/npm/once`, npmBody('once', '1.0.0'))
  },
  'an authorization code': async ({ person, application }) => {
    const { code, exchangeCode } = await application(await person())
    const given = await code()
    return (at) => exchangeCode(at, given)
  },
  'a refresh token': async ({ person, application }) => {
    const { tokens, refresh } = await application(await person())
    const { refresh_token: given } = await tokens()
    return (at) => refresh(at, given)
  },
}

/** Each returns a request that every replica grants, and how often its effect may be counted: once. */
const counted = {
  'a star': async ({ root, person, repo }) => {
    const path = await repo()
    const { token } = await person()
    return {
      ask: (at) => at.api(token, 'PUT', `/user/starred/${path}`),
      count: async (at) => (await at.api(root, 'GET', `/repos/${path}`)).json.stars_count,
    }
  },
  'a follower': async ({ root, person }) => {
    const [one, other] = [await person(), await person()]
    return {
      ask: (at) => at.api(one.token, 'PUT', `/user/following/${other.name}`),
      count: async (at) => (await at.api(root, 'GET', `/users/${other.name}`)).json.followers_count,
    }
  },
  'a reaction': async ({ root, ask, repo }) => {
    const path = await repo()
    await ask('POST', `/repos/${path}/issues`, { title: 'one' })
    return {
      ask: (at) => at.api(root, 'POST', `/repos/${path}/issues/1/reactions`, { content: '+1' }),
      count: async (at) => (await at.api(root, 'GET', `/repos/${path}/issues/1/reactions`)).json.length,
    }
  },
  'a label of an issue': async ({ root, ask, repo }) => {
    const path = await repo()
    const { id } = await ask('POST', `/repos/${path}/labels`, { name: 'one', color: '#123456' })
    await ask('POST', `/repos/${path}/issues`, { title: 'one' })
    return {
      ask: (at) => at.api(root, 'POST', `/repos/${path}/issues/1/labels`, { labels: [id] }),
      count: async (at) => (await at.api(root, 'GET', `/repos/${path}/issues/1`)).json.labels.length,
    }
  },
  'a closed issue': async ({ root, ask, repo }) => {
    const path = await repo()
    await ask('POST', `/repos/${path}/issues`, { title: 'one' })
    await ask('POST', `/repos/${path}/issues`, { title: 'two' })
    return {
      ask: (at) => at.api(root, 'PATCH', `/repos/${path}/issues/1`, { state: 'closed' }),
      count: async (at) => (await at.api(root, 'GET', `/repos/${path}`)).json.open_issues_count,
    }
  },
}

/** Plays all of it. Throws at the first thing that happened twice, or not at all. */
export async function playOnce({ world, say }) {
  const { doors } = world
  /** Sends a request twice to each replica, all at once. */
  const everywhere = (send) =>
    Promise.all(Array.from({ length: 2 * doors.length }, (_, index) => send(doors[index % doors.length], index)))
  for (const [what, prepare] of Object.entries(once)) {
    const send = await prepare(world)
    const replies = await everywhere(send)
    const statuses = replies.map(({ status }) => status).join(' ')
    assert.equal(replies.filter(({ status }) => isSuccess(status)).length, 1, `${what}: ${statuses}`)
    const broken = replies.find(({ status }) => status === 0 || status >= 500)
    assert.equal(broken, undefined, `${what}: ${statuses} ${broken?.text.slice(0, 300)}`)
  }
  for (const [what, prepare] of Object.entries(counted)) {
    const { ask, count } = await prepare(world)
    const statuses = await everywhere((at) => statusOf(ask(at)))
    assert.ok(statuses.every(isSuccess), `${what}: ${statuses.join(' ')}`)
    assert.deepEqual(
      await Promise.all(doors.map(count)),
      doors.map(() => 1),
      `${what} is counted once`,
    )
  }
  say(
    `${Object.keys(once).length} things that exist once were made once, and ${Object.keys(counted).length} counted once`,
  )
}
