/** Changes of names and contents. `replica-changes.mjs` describes the rows. */
import { base64, formOf, statusOf, statusesOf } from './replica-client.mjs'

const contains = async (reply, text) => (await reply).text.includes(text)
const edited = (sha, text, more = {}) => ({ sha, content: base64(text), branch: 'main', ...more })

export const changesOfContents = {
  'a repository is hidden': async ({ root, repo }) => {
    const path = await repo()
    return {
      read: async (at) => [
        ...(await statusesOf(
          at.api(undefined, 'GET', `/repos/${path}`),
          at.site(undefined, 'GET', `/${path}`),
          at.site(undefined, 'GET', `/${path}/raw/branch/main/README.md`),
          at.site(undefined, 'GET', `/${path}/archive/main.zip`),
          at.site(undefined, 'GET', `/${path}.rss`),
        )),
        (await at.references(undefined, path)) !== undefined,
      ],
      before: [200, 200, 200, 200, 200, true],
      change: (at) => at.api(root, 'PATCH', `/repos/${path}`, { private: true }),
      after: [404, 404, 404, 404, 404, false],
    }
  },
  'a repository is renamed': async ({ root, repo }) => {
    const path = await repo()
    const renamed = `${path}-renamed`
    return {
      read: async (at) => [
        ...(await statusesOf(
          at.api(root, 'GET', `/repos/${path}`),
          at.api(root, 'GET', `/repos/${renamed}`),
          at.site(root, 'GET', `/${renamed}/raw/branch/main/README.md`),
        )),
        (await at.references(root, path)) !== undefined,
        (await at.references(root, renamed)) !== undefined,
      ],
      before: [200, 404, 404, true, false],
      change: (at) => at.api(root, 'PATCH', `/repos/${path}`, { name: renamed.split('/')[1] }),
      after: [301, 200, 200, true, true],
    }
  },
  'a repository is given away': async ({ root, repo, person }) => {
    const path = await repo()
    const { name, token } = await person()
    const given = path.replace('root', name)
    return {
      read: async (at) => [
        ...(await statusesOf(
          at.api(token, 'GET', `/repos/${given}`),
          at.site(token, 'GET', `/${given}/raw/branch/main/README.md`),
        )),
        (await at.references(token, given)) !== undefined,
      ],
      before: [404, 404, false],
      change: (at) => at.api(root, 'POST', `/repos/${path}/transfer`, { new_owner: name }),
      after: [200, 200, true],
    }
  },
  'a repository is deleted': async ({ root, repo }) => {
    const path = await repo()
    return {
      read: async (at) => [
        ...(await statusesOf(
          at.api(root, 'GET', `/repos/${path}`),
          at.site(undefined, 'GET', `/${path}`),
          at.site(undefined, 'GET', `/${path}/archive/main.zip`),
          at.site(root, 'GET', `/${path}/raw/branch/main/README.md`),
        )),
        (await at.references(root, path)) !== undefined,
      ],
      before: [200, 200, 200, 200, true],
      change: (at) => at.api(root, 'DELETE', `/repos/${path}`),
      after: [404, 404, 404, 404, false],
    }
  },
  'another repository takes the name of a deleted one': async ({ root, ask, repo, commit }) => {
    const path = await repo()
    const { commit: old } = await commit(path, 'old', 'old')
    await ask('DELETE', `/repos/${path}`)
    return {
      read: async (at) => [
        ...(await statusesOf(
          at.api(root, 'GET', `/repos/${path}`),
          at.api(root, 'GET', `/repos/${path}/git/commits/${old.sha}`),
          at.site(root, 'GET', `/${path}/raw/branch/main/old`),
        )),
        (await at.references(root, path)) !== undefined,
      ],
      before: [404, 404, 404, false],
      change: (at) => at.api(root, 'POST', '/user/repos', { name: path.split('/')[1], auto_init: true }),
      after: [200, 404, 404, true],
    }
  },
  'a repository is archived': async ({ root, repo, fresh }) => {
    const path = await repo()
    return {
      read: (at) => statusOf(at.api(root, 'POST', `/repos/${path}/issues`, { title: fresh('issue') })),
      before: 201,
      change: (at) => at.api(root, 'PATCH', `/repos/${path}`, { archived: true }),
      after: 423,
    }
  },
  'a part of a repository is switched off': async ({ root, ask, repo }) => {
    const path = await repo()
    await ask('POST', `/repos/${path}/issues`, { title: 'one' })
    return {
      read: (at) =>
        statusesOf(at.api(root, 'GET', `/repos/${path}/issues/1`), at.site(undefined, 'GET', `/${path}/issues/1`)),
      before: [200, 200],
      change: (at) => at.api(root, 'PATCH', `/repos/${path}`, { has_issues: false }),
      after: [404, 404],
    }
  },
  'a branch is protected': async ({ root, member, clone, fresh }) => {
    const { token, path } = await member()
    const { folder } = await clone(path)
    return {
      read: async (at) => [
        await statusOf(
          at.api(token, 'POST', `/repos/${path}/contents/${fresh('file')}`, { content: '', branch: 'main' }),
        ),
        await at.push(token, path, folder, `HEAD:refs/heads/held-${fresh('pushed')}`),
      ],
      before: [201, true],
      change: async (at) => {
        await at.api(root, 'POST', `/repos/${path}/branch_protections`, { rule_name: 'held-*', enable_push: false })
        return at.api(root, 'POST', `/repos/${path}/branch_protections`, { rule_name: 'main', enable_push: false })
      },
      after: [403, false],
    }
  },
  'a protection names a person': async ({ root, ask, member, clone, fresh }) => {
    const { name, token, path } = await member()
    const { folder } = await clone(path)
    await ask('POST', `/repos/${path}/branch_protections`, { rule_name: 'held-*', enable_push: false })
    return {
      read: (at) => at.push(token, path, folder, `HEAD:refs/heads/held-${fresh('pushed')}`),
      before: false,
      change: (at) =>
        at.api(root, 'PATCH', `/repos/${path}/branch_protections/held-*`, {
          enable_push: true,
          enable_push_whitelist: true,
          push_whitelist_usernames: [name],
        }),
      after: true,
    }
  },
  'a protection is deleted': async ({ root, ask, member, clone, fresh }) => {
    const { token, path } = await member()
    const { folder } = await clone(path)
    await ask('POST', `/repos/${path}/branch_protections`, { rule_name: 'held-*', enable_push: false })
    return {
      read: (at) => at.push(token, path, folder, `HEAD:refs/heads/held-${fresh('pushed')}`),
      before: false,
      change: (at) => at.api(root, 'DELETE', `/repos/${path}/branch_protections/held-*`),
      after: true,
    }
  },
  'tags are protected': async ({ root, member, fresh }) => {
    const { token, path } = await member()
    return {
      read: (at) => statusOf(at.api(token, 'POST', `/repos/${path}/tags`, { tag_name: `v-${fresh('tag')}` })),
      before: 201,
      change: (at) =>
        at.api(root, 'POST', `/repos/${path}/tag_protections`, { name_pattern: 'v-*', whitelist_usernames: ['root'] }),
      after: 422,
    }
  },
  'a merge needs an approval': async ({ root, ask, repo, commit }) => {
    const path = await repo()
    await commit(path, 'topic', 'topic', { new_branch: 'topic' })
    const { number } = await ask('POST', `/repos/${path}/pulls`, { base: 'main', head: 'topic', title: 'topic' })
    return {
      read: (at) => statusOf(at.api(root, 'POST', `/repos/${path}/pulls/${number}/merge`, { Do: 'merge' })),
      change: (at) =>
        at.api(root, 'POST', `/repos/${path}/branch_protections`, {
          rule_name: 'main',
          required_approvals: 1,
          enable_push: true,
        }),
      after: 405,
    }
  },

  'a file is committed': async ({ root, ask, repo }) => {
    const path = await repo()
    const { sha } = await ask('GET', `/repos/${path}/contents/README.md`)
    const text = 'the second text'
    return {
      read: async (at) => [
        await contains(at.site(undefined, 'GET', `/${path}/raw/branch/main/README.md`), text),
        await contains(at.site(undefined, 'GET', `/${path}`), text),
        await contains(at.site(undefined, 'GET', `/${path}/src/branch/main/README.md`), text),
        (await at.api(root, 'GET', `/repos/${path}/contents/README.md`)).json.content === base64(text),
        (await at.api(root, 'GET', `/repos/${path}/commits`)).json.length,
        await contains(at.site(undefined, 'GET', `/${path}/commits/branch/main`), 'written anew'),
        await contains(at.site(undefined, 'GET', `/${path}/atom/branch/main`), 'written anew'),
      ],
      before: [false, false, false, false, 1, false, false],
      change: (at) =>
        at.api(root, 'PUT', `/repos/${path}/contents/README.md`, edited(sha, text, { message: 'written anew' })),
      after: [true, true, true, true, 2, true, true],
    }
  },
  'a commit is pushed': async ({ root, repo, clone }) => {
    const path = await repo()
    const { folder, oid } = await clone(path, 'pushed')
    return {
      read: async (at) => [
        (await at.references(root, path)).includes(`${oid}\trefs/heads/main`),
        (await at.api(root, 'GET', `/repos/${path}/branches/main`)).json.commit.id === oid,
        await statusOf(at.site(undefined, 'GET', `/${path}/raw/branch/main/pushed`)),
        await statusOf(at.site(undefined, 'GET', `/${path}/commit/${oid}`)),
      ],
      before: [false, false, 404, 404],
      change: (at) => at.pushed(root, path, folder, 'HEAD:refs/heads/main'),
      after: [true, true, 200, 200],
    }
  },
  'a branch is deleted': async ({ root, repo, commit }) => {
    const path = await repo()
    await commit(path, 'topic', 'topic', { new_branch: 'topic' })
    return {
      read: async (at) => [
        ...(await statusesOf(
          at.api(root, 'GET', `/repos/${path}/branches/topic`),
          at.site(undefined, 'GET', `/${path}/raw/branch/topic/topic`),
          at.site(undefined, 'GET', `/${path}/src/branch/topic`),
        )),
        (await at.references(root, path)).includes('refs/heads/topic'),
      ],
      before: [200, 200, 200, true],
      change: (at) => at.api(root, 'DELETE', `/repos/${path}/branches/topic`),
      after: [404, 404, 404, false],
    }
  },
  'another branch becomes the default': async ({ root, repo, commit }) => {
    const path = await repo()
    await commit(path, 'notes', 'text', { new_branch: 'topic' })
    return {
      read: async (at) => [
        /ref: (\S+)\tHEAD/.exec(await at.references(root, path))[1],
        ...(await statusesOf(
          at.api(root, 'GET', `/repos/${path}/contents/notes`),
          at.api(root, 'GET', `/repos/${path}/raw/notes`),
        )),
        await contains(at.site(undefined, 'GET', `/${path}`), '>notes<'),
      ],
      before: ['refs/heads/main', 404, 404, false],
      change: (at) => at.api(root, 'PATCH', `/repos/${path}`, { default_branch: 'topic' }),
      after: ['refs/heads/topic', 200, 200, true],
    }
  },
  'a page of a wiki is edited': async ({ root, ask, repo }) => {
    const path = await repo()
    const wiki = `/repos/${path}/wiki`
    await ask('POST', `${wiki}/new`, { title: 'Home', content_base64: base64('the first text') })
    return {
      read: async (at) => [
        (await at.api(root, 'GET', `${wiki}/page/Home`)).json.content_base64 === base64('the second text'),
        await contains(at.site(undefined, 'GET', `/${path}/wiki/Home`), 'the second text'),
        (await at.api(root, 'GET', `${wiki}/revisions/Home`)).json.count,
      ],
      before: [false, false, 1],
      change: (at) => at.api(root, 'PATCH', `${wiki}/page/Home`, { content_base64: base64('the second text') }),
      after: [true, true, 2],
    }
  },
  'a pull request is merged': async ({ root, ask, repo, commit }) => {
    const path = await repo()
    await commit(path, 'topic', 'topic', { new_branch: 'topic' })
    const { number } = await ask('POST', `/repos/${path}/pulls`, { base: 'main', head: 'topic', title: 'topic' })
    return {
      read: async (at) => {
        const { state, merged } = (await at.api(root, 'GET', `/repos/${path}/pulls/${number}`)).json
        const { open_pr_counter: open } = (await at.api(root, 'GET', `/repos/${path}`)).json
        return [state, merged, open, await statusOf(at.site(undefined, 'GET', `/${path}/raw/branch/main/topic`))]
      },
      before: ['open', false, 1, 404],
      change: (at) => at.api(root, 'POST', `/repos/${path}/pulls/${number}/merge`, { Do: 'merge' }),
      after: ['closed', true, 0, 200],
    }
  },
  'an issue is edited': async ({ root, ask, repo }) => {
    const path = await repo()
    const { number } = await ask('POST', `/repos/${path}/issues`, { title: 'the first title' })
    return {
      read: async (at) => [
        (await at.api(root, 'GET', `/repos/${path}/issues/${number}`)).json.title,
        (await at.api(root, 'GET', `/repos/${path}/issues?state=all`)).json[0].title,
        await contains(at.site(undefined, 'GET', `/${path}/issues/${number}`), 'the second title'),
        await contains(at.site(undefined, 'GET', `/${path}/issues?q=is%3Aclosed`), 'the second title'),
        (await at.api(root, 'GET', `/repos/${path}`)).json.open_issues_count,
      ],
      before: ['the first title', 'the first title', false, false, 1],
      change: (at) =>
        at.api(root, 'PATCH', `/repos/${path}/issues/${number}`, { title: 'the second title', state: 'closed' }),
      after: ['the second title', 'the second title', true, true, 0],
    }
  },
  'a label is renamed': async ({ root, ask, repo }) => {
    const path = await repo()
    const { id } = await ask('POST', `/repos/${path}/labels`, { name: 'first-label', color: '#123456' })
    const { number } = await ask('POST', `/repos/${path}/issues`, { title: 'one', labels: [id] })
    return {
      read: async (at) => [
        (await at.api(root, 'GET', `/repos/${path}/issues`)).json[0].labels[0].name,
        (await at.api(root, 'GET', `/repos/${path}/issues/${number}`)).json.labels[0].name,
        await contains(at.site(undefined, 'GET', `/${path}/issues`), 'second-label'),
      ],
      before: ['first-label', 'first-label', false],
      change: (at) => at.api(root, 'PATCH', `/repos/${path}/labels/${id}`, { name: 'second-label' }),
      after: ['second-label', 'second-label', true],
    }
  },
  'a milestone is closed': async ({ root, ask, repo }) => {
    const path = await repo()
    const { id } = await ask('POST', `/repos/${path}/milestones`, { title: 'first' })
    await ask('POST', `/repos/${path}/issues`, { title: 'one', milestone: id })
    return {
      read: async (at) => {
        const { title, state } = (await at.api(root, 'GET', `/repos/${path}/issues`)).json[0].milestone
        return [title, state]
      },
      before: ['first', 'open'],
      change: (at) => at.api(root, 'PATCH', `/repos/${path}/milestones/${id}`, { title: 'second', state: 'closed' }),
      after: ['second', 'closed'],
    }
  },
  'the name of an author changes': async ({ root, person, repo }) => {
    const { token, ask, name } = await person()
    const path = await repo({ owner: name })
    await ask('POST', `/repos/${path}/issues`, { title: 'one' })
    await ask('POST', `/repos/${path}/issues/1/comments`, { body: 'two' })
    return {
      read: async (at) => [
        (await at.api(root, 'GET', `/repos/${path}/issues`)).json[0].user.full_name,
        (await at.api(root, 'GET', `/repos/${path}/issues/1/comments`)).json[0].user.full_name,
        (await at.api(root, 'GET', `/repos/${path}`)).json.owner.full_name,
      ],
      before: ['', '', ''],
      change: (at) => at.api(token, 'PATCH', '/user/settings', { full_name: 'Ada Lovelace' }),
      after: ['Ada Lovelace', 'Ada Lovelace', 'Ada Lovelace'],
    }
  },
  'an issue is locked': async ({ ask, person, repo, fresh }) => {
    const owner = await person()
    const cookie = await owner.signIn()
    const path = await repo({ owner: owner.name })
    const { token } = await person()
    const { number } = await ask('POST', `/repos/${path}/issues`, { title: 'one' })
    return {
      read: (at) =>
        statusOf(at.api(token, 'POST', `/repos/${path}/issues/${number}/comments`, { body: fresh('comment') })),
      before: 201,
      change: (at) => at.form({ cookie }, `/${path}/issues/${number}/lock`, { on: 'true' }),
      done: 303,
      after: 403,
    }
  },
  'a comment is deleted': async ({ root, ask, repo }) => {
    const path = await repo()
    await ask('POST', `/repos/${path}/issues`, { title: 'one' })
    const { id } = await ask('POST', `/repos/${path}/issues/1/comments`, { body: 'spoken-too-soon' })
    return {
      read: async (at) => [
        await contains(at.api(root, 'GET', `/repos/${path}/issues/1/comments`), 'spoken-too-soon'),
        await contains(at.site(undefined, 'GET', `/${path}/issues/1`), 'spoken-too-soon'),
        (await at.api(root, 'GET', `/repos/${path}/issues/1`)).json.comments,
      ],
      before: [true, true, 1],
      change: (at) => at.api(root, 'DELETE', `/repos/${path}/issues/comments/${id}`),
      after: [false, false, 0],
    }
  },
  'a file of an issue is deleted': async ({ root, ask, repo, upload, any }) => {
    const path = await repo()
    await ask('POST', `/repos/${path}/issues`, { title: 'one' })
    const { json } = await upload(any, root, `/repos/${path}/issues/1/assets`)
    const address = new URL(json.browser_download_url).pathname
    return {
      read: (at) => statusOf(at.site(undefined, 'GET', address)),
      before: 200,
      change: (at) => at.api(root, 'DELETE', `/repos/${path}/issues/1/assets/${json.id}`),
      after: 404,
    }
  },
  'a release becomes a draft': async ({ root, ask, repo, any }) => {
    const path = await repo()
    const { id } = await ask('POST', `/repos/${path}/releases`, {
      tag_name: 'v1',
      target_commitish: 'main',
      name: 'one',
    })
    const { json } = await any.api(
      root,
      'POST',
      `/repos/${path}/releases/${id}/assets?name=a.txt`,
      formOf('a.txt', 'a'),
    )
    const address = new URL(json.browser_download_url).pathname
    return {
      read: (at) =>
        statusesOf(
          at.api(undefined, 'GET', `/repos/${path}/releases/${id}`),
          at.api(undefined, 'GET', `/repos/${path}/releases/latest`),
          at.site(undefined, 'GET', address),
        ),
      before: [200, 200, 200],
      change: (at) => at.api(root, 'PATCH', `/repos/${path}/releases/${id}`, { draft: true }),
      after: [404, 404, 404],
    }
  },
  'a package is deleted': async ({ root, person, generic, npm }) => {
    const { name } = await person()
    const file = await generic(name, 'gone')
    await npm(name, 'gone', '1.0.0')
    return {
      read: (at) =>
        statusesOf(
          at.site(undefined, 'GET', file),
          at.site(undefined, 'GET', `/api/packages/${name}/npm/gone`),
          at.site(undefined, 'GET', `/api/packages/${name}/npm/gone/-/1.0.0/gone-1.0.0.tgz`),
        ),
      before: [200, 200, 200],
      change: async (at) => {
        await at.api(root, 'DELETE', `/packages/${name}/generic/gone/1`)
        return at.api(root, 'DELETE', `/packages/${name}/npm/gone/1.0.0`)
      },
      after: [404, 404, 404],
    }
  },
  'a version of a package is published': async ({ root, person, npm, npmBody }) => {
    const { name } = await person()
    await npm(name, 'tool', '1.0.0')
    return {
      read: async (at) =>
        Object.keys((await at.site(undefined, 'GET', `/api/packages/${name}/npm/tool`)).json.versions),
      before: ['1.0.0'],
      change: (at) => at.site(root, 'PUT', `/api/packages/${name}/npm/tool`, npmBody('tool', '1.1.0')),
      after: ['1.0.0', '1.1.0'],
    }
  },
  'an avatar is deleted': async ({ root, person }) => {
    const { name, token, ask } = await person()
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await ask('POST', '/user/avatar', { image: pixel })
    const address = new URL((await ask('GET', '/user')).avatar_url).pathname
    return {
      read: async (at) => new URL((await at.api(root, 'GET', `/users/${name}`)).json.avatar_url).pathname === address,
      before: true,
      change: (at) => at.api(token, 'DELETE', '/user/avatar'),
      after: false,
    }
  },
  'a notification is read': async ({ person, ask, repo, any }) => {
    const { name, token } = await person()
    const path = await repo()
    await ask('POST', `/repos/${path}/issues`, { title: 'one', body: `@${name}` })
    for (let time = 0; time < 100; time++) {
      if ((await any.api(token, 'GET', '/notifications/new')).json.new > 0) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return {
      read: async (at) => [
        (await at.api(token, 'GET', '/notifications/new')).json.new,
        (await at.api(token, 'GET', '/notifications')).json.length,
      ],
      before: [1, 1],
      change: (at) => at.api(token, 'PUT', '/notifications'),
      after: [0, 0],
    }
  },
  'a variable of workflows is changed': async ({ root, ask, repo }) => {
    const path = await repo()
    const variable = `/repos/${path}/actions/variables/PLACE`
    await ask('POST', variable, { value: 'here' })
    return {
      read: async (at) => (await at.api(root, 'GET', variable)).json.data,
      before: 'here',
      change: (at) => at.api(root, 'PUT', variable, { value: 'there' }),
      after: 'there',
    }
  },
}
