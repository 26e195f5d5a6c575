/** Changes of credentials, accounts and rights. `replica-changes.mjs` describes the rows. */
import { base64, statusOf, statusesOf } from './replica-client.mjs'
import { password } from './replica-world.mjs'

/** The answer of a page to a guest who must sign in. */
const toSignIn = 303

const accountOf = (name, more) => ['PATCH', `/admin/users/${name}`, { source_id: 0, login_name: name, ...more }]

export const changesOfPeople = {
  'a token is revoked': async ({ person, repo }) => {
    const { name, tokenNamed } = await person()
    const path = await repo({ owner: name, private: true })
    const { id, sha1 } = await tokenNamed('short')
    return {
      read: async (at) => [
        ...(await statusesOf(at.api(sha1, 'GET', '/user'), at.site(sha1, 'GET', `/${path}/raw/branch/main/README.md`))),
        (await at.references(sha1, path)) !== undefined,
      ],
      before: [200, 200, true],
      change: (at) => at.api({ login: name, password }, 'DELETE', `/users/${name}/tokens/${id}`),
      after: [401, 404, false],
    }
  },
  'a password is changed': async ({ root, person }) => {
    const { name, signIn } = await person()
    const cookie = await signIn()
    return {
      read: (at) =>
        statusesOf(at.api({ login: name, password }, 'GET', '/user'), at.site({ cookie }, 'GET', '/user/settings')),
      before: [200, 200],
      change: (at) => at.api(root, ...accountOf(name, { password: `${password}x` })),
      after: [401, toSignIn],
    }
  },
  'a session is ended': async ({ any, person }) => {
    const { token, signIn } = await person()
    const cookie = await signIn()
    const [{ id }] = (await any.own(token, 'GET', '/user/sessions')).json
    return {
      read: (at) => statusOf(at.site({ cookie }, 'GET', '/user/settings')),
      before: 200,
      change: (at) => at.own(token, 'DELETE', `/user/sessions/${id}`),
      after: toSignIn,
    }
  },
  'a person signs out': async ({ person }) => {
    const { signIn } = await person()
    const cookie = await signIn()
    return {
      read: (at) => statusOf(at.site({ cookie }, 'GET', '/notifications')),
      before: 200,
      change: (at) => at.form({ cookie }, '/user/logout'),
      done: 303,
      after: toSignIn,
    }
  },
  'a key of a person is deleted': async ({ person, repo, sshKey }) => {
    const { name, token, ask } = await person()
    const path = await repo({ owner: name, private: true })
    const { file, key } = await sshKey()
    const { id } = await ask('POST', '/user/keys', { title: 'short', key })
    return {
      read: (at) => at.readsBySsh(file, path),
      before: true,
      change: (at) => at.api(token, 'DELETE', `/user/keys/${id}`),
      after: false,
    }
  },
  'a deploy key is deleted': async ({ root, ask, repo, sshKey }) => {
    const path = await repo({ private: true })
    const { file, key } = await sshKey()
    const { id } = await ask('POST', `/repos/${path}/keys`, { title: 'short', key, read_only: true })
    return {
      read: (at) => at.readsBySsh(file, path),
      before: true,
      change: (at) => at.api(root, 'DELETE', `/repos/${path}/keys/${id}`),
      after: false,
    }
  },
  'an application is deleted': async ({ person, application }) => {
    const somebody = await person()
    const { id, tokens } = await application(somebody)
    const { access_token: bearer } = await tokens()
    return {
      read: (at) => statusOf(at.api({ bearer }, 'GET', '/user')),
      before: 200,
      change: (at) => at.api(somebody.token, 'DELETE', `/user/applications/oauth2/${id}`),
      after: 401,
    }
  },
  'a granted access is withdrawn': async ({ any, person, application }) => {
    const somebody = await person()
    const { access_token: bearer } = await (await application(somebody)).tokens()
    const [{ id }] = (await any.own(somebody.token, 'GET', '/user/oauth2/grants')).json
    return {
      read: (at) => statusOf(at.api({ bearer }, 'GET', '/user')),
      before: 200,
      change: (at) => at.own(somebody.token, 'DELETE', `/user/oauth2/grants/${id}`),
      after: 401,
    }
  },

  'a person may not sign in': async ({ root, person }) => {
    const { name, token, signIn } = await person()
    const cookie = await signIn()
    return {
      read: (at) =>
        statusesOf(
          at.api(token, 'GET', '/user'),
          at.api({ login: name, password }, 'GET', '/user'),
          at.site({ cookie }, 'GET', '/user/settings'),
        ),
      before: [200, 200, 200],
      change: (at) => at.api(root, ...accountOf(name, { prohibit_login: true })),
      after: [403, 401, toSignIn],
    }
  },
  'an administrator becomes a plain person': async ({ root, person, ask }) => {
    const { name, token } = await person()
    await ask(...accountOf(name, { admin: true }))
    return {
      read: (at) => statusOf(at.api(token, 'GET', '/admin/users?limit=1')),
      before: 200,
      change: (at) => at.api(root, ...accountOf(name, { admin: false })),
      after: 403,
    }
  },
  'a person becomes restricted': async ({ root, person, repo }) => {
    const { name, token } = await person()
    const path = await repo()
    return {
      read: (at) => statusOf(at.api(token, 'GET', `/repos/${path}`)),
      before: 200,
      change: (at) => at.api(root, ...accountOf(name, { restricted: true })),
      after: 404,
    }
  },
  'a person is deleted': async ({ root, person, repo }) => {
    const { name, token } = await person()
    const path = await repo({ owner: name })
    return {
      read: (at) =>
        statusesOf(
          at.api(token, 'GET', '/user'),
          at.api(root, 'GET', `/users/${name}`),
          at.site(undefined, 'GET', `/${path}`),
          at.site(undefined, 'GET', `/${path}/raw/branch/main/README.md`),
        ),
      before: [200, 200, 200, 200],
      change: (at) => at.api(root, 'DELETE', `/admin/users/${name}?purge=true`),
      after: [401, 404, 404, 404],
    }
  },
  'a person is renamed': async ({ root, person, repo }) => {
    const { name, token } = await person()
    const path = await repo({ owner: name })
    const renamed = path.replace('person', 'renamed')
    return {
      read: async (at) => [
        (await at.api(token, 'GET', '/user')).json.login,
        ...(await statusesOf(
          at.api({ login: name, password }, 'GET', '/user'),
          at.site(undefined, 'GET', `/${path}`),
          at.site(undefined, 'GET', `/${renamed}`),
        )),
        (await at.references(undefined, renamed)) !== undefined,
      ],
      before: [name, 200, 200, 404, false],
      change: (at) => at.api(root, 'POST', `/admin/users/${name}/rename`, { new_username: renamed.split('/')[0] }),
      after: [renamed.split('/')[0], 401, 307, 200, true],
    }
  },
  'an account is hidden': async ({ root, person, repo, generic }) => {
    const { name } = await person()
    const path = await repo({ owner: name })
    const file = await generic(name)
    return {
      read: async (at) => [
        ...(await statusesOf(
          at.api(undefined, 'GET', `/users/${name}`),
          at.site(undefined, 'GET', `/${name}`),
          at.api(undefined, 'GET', `/repos/${path}`),
          at.site(undefined, 'GET', `/${path}/raw/branch/main/README.md`),
          at.site(undefined, 'GET', file),
        )),
        (await at.references(undefined, path)) !== undefined,
      ],
      before: [200, 200, 200, 200, 200, true],
      change: (at) => at.api(root, ...accountOf(name, { visibility: 'private' })),
      after: [404, 404, 404, 404, 401, false],
    }
  },
  'an address of a person is hidden': async ({ person }) => {
    const { name, email, token } = await person()
    const reader = await person()
    return {
      read: async (at) => (await at.api(reader.token, 'GET', `/users/${name}`)).json.email === email,
      before: true,
      change: (at) => at.api(token, 'PATCH', '/user/settings', { hide_email: true }),
      after: false,
    }
  },
  'a person chooses another language': async ({ person }) => {
    const { token, signIn } = await person()
    const cookie = await signIn()
    return {
      read: async (at) =>
        /<html[^>]* lang="([^"]*)"/.exec((await at.site({ cookie }, 'GET', '/user/settings')).text)?.[1],
      before: 'en',
      change: (at) => at.api(token, 'PATCH', '/user/settings', { language: 'de-DE' }),
      after: 'de',
    }
  },
  'a person is blocked': async ({ root, ask, person, repo, fresh }) => {
    const { name, token } = await person()
    const path = await repo()
    const { number } = await ask('POST', `/repos/${path}/issues`, { title: 'open' })
    return {
      read: (at) =>
        statusOf(at.api(token, 'POST', `/repos/${path}/issues/${number}/comments`, { body: fresh('comment') })),
      before: 201,
      change: (at) => at.api(root, 'PUT', `/user/block/${name}`),
      after: 403,
    }
  },

  'a collaborator is removed': async ({ root, member }) => {
    const { name, token, path, signIn } = await member()
    const cookie = await signIn()
    return {
      read: async (at) => [
        ...(await statusesOf(
          at.api(token, 'GET', `/repos/${path}/contents/README.md`),
          at.site({ cookie }, 'GET', `/${path}`),
          at.site({ cookie }, 'GET', `/${path}/archive/main.zip`),
          at.site(token, 'GET', `/${path}/raw/branch/main/README.md`),
        )),
        (await at.references(token, path)) !== undefined,
        ...(await at.api(token, 'GET', '/user/repos')).json.map(({ full_name: each }) => each),
      ],
      before: [200, 200, 200, 200, true, path],
      change: (at) => at.api(root, 'DELETE', `/repos/${path}/collaborators/${name}`),
      after: [404, 404, 404, 404, false],
    }
  },
  'a collaborator may only read': async ({ root, member, fresh, clone }) => {
    const { name, token, path } = await member()
    const { folder } = await clone(path)
    return {
      read: async (at) => [
        await statusOf(at.api(token, 'POST', `/repos/${path}/branches`, { new_branch_name: fresh('made') })),
        await at.push(token, path, folder, `HEAD:refs/heads/${fresh('pushed')}`),
      ],
      before: [201, true],
      change: (at) => at.api(root, 'PUT', `/repos/${path}/collaborators/${name}`, { permission: 'read' }),
      after: [403, false],
    }
  },
  'a member leaves a team': async ({ root, team }) => {
    const { id, name, token, path } = await team()
    return {
      read: (at) => statusOf(at.api(token, 'GET', `/repos/${path}`)),
      before: 200,
      change: (at) => at.api(root, 'DELETE', `/teams/${id}/members/${name}`),
      after: 404,
    }
  },
  'a team loses a repository': async ({ root, team }) => {
    const { id, token, path } = await team()
    return {
      read: (at) =>
        statusesOf(at.api(token, 'GET', `/repos/${path}`), at.site(token, 'GET', `/${path}/raw/branch/main/README.md`)),
      before: [200, 200],
      change: (at) => at.api(root, 'DELETE', `/teams/${id}/repos/${path}`),
      after: [404, 404],
    }
  },
  'a team may only read': async ({ root, team, fresh }) => {
    const { id, token, path } = await team()
    return {
      read: (at) => statusOf(at.api(token, 'POST', `/repos/${path}/branches`, { new_branch_name: fresh('made') })),
      before: 201,
      change: (at) => at.api(root, 'PATCH', `/teams/${id}`, { name: 'readers', units_map: { 'repo.code': 'read' } }),
      after: 403,
    }
  },
  'an organization is hidden': async ({ root, organization }) => {
    const { name, path } = await organization()
    return {
      read: (at) =>
        statusesOf(
          at.api(undefined, 'GET', `/orgs/${name}`),
          at.site(undefined, 'GET', `/${name}`),
          at.site(undefined, 'GET', `/${path}/raw/branch/main/README.md`),
        ),
      before: [200, 200, 200],
      change: (at) => at.api(root, 'PATCH', `/orgs/${name}`, { visibility: 'private' }),
      after: [404, 404, 404],
    }
  },
  'a runner is deleted': async ({ root, repo, runner }) => {
    const path = await repo()
    const { call, id } = await runner(path)
    return {
      read: (at) => statusOf(call(at, 'Declare', { version: 'v6', labels: ['here'] })),
      before: 200,
      change: (at) => at.own(root, 'DELETE', `/repos/${path}/actions/runners/${id}`),
      after: 401,
    }
  },
  'a registration token is replaced': async ({ root, ask, repo, runner }) => {
    const path = await repo()
    const { register } = await runner(path)
    const { token } = await ask('GET', `/repos/${path}/actions/runners/registration-token`)
    return {
      read: (at) => statusOf(register(at, token)),
      before: 200,
      change: (at) => at.own(root, 'DELETE', `/repos/${path}/actions/runners/registration-token`),
      after: 400,
    }
  },
  'a quota becomes smaller': async ({ root, ask, person, repo, fresh, upload }) => {
    const { name, token } = await person()
    const path = await repo({ owner: name })
    const rule = fresh('rule')
    await ask('POST', '/admin/quota/rules', { name: rule, limit: 1_000_000, subjects: ['size:assets:all'] })
    await ask('POST', '/admin/quota/groups', { name: rule, rules: [{ name: rule }] })
    await ask('PUT', `/admin/quota/groups/${rule}/users/${name}`)
    const { number } = await ask('POST', `/repos/${path}/issues`, { title: 'files' })
    return {
      read: (at) => statusOf(upload(at, token, `/repos/${path}/issues/${number}/assets`)),
      before: 201,
      change: (at) => at.api(root, 'PATCH', `/admin/quota/rules/${rule}`, { limit: 1 }),
      after: 413,
    }
  },
  'a file is protected': async ({ root, member }) => {
    const { token, path } = await member()
    const body = { content: base64('same'), branch: 'main' }
    return {
      // The file exists already unless its branch is protected.
      read: (at) => statusOf(at.api(token, 'POST', `/repos/${path}/contents/README.md`, body)),
      before: 422,
      change: (at) =>
        at.api(root, 'POST', `/repos/${path}/branch_protections`, { rule_name: 'main', enable_push: false }),
      after: 403,
    }
  },
}
