/** Texts of strangers that cost a careless parser very much, as requests to a server. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle, ownBuildFolder } from './bundle.mjs'

/** Files in a repository that patterns are matched with. */
const fileCount = 3000

const encoded = (text) => Buffer.from(text).toString('base64')

/** The module of the worst uploads to registries, which the tests of packages send as well. */
async function loadUploads() {
  const folder = ownBuildFolder('hostile')
  await bundle({ hostile: 'src/packages/hostile.test-support.ts' }, folder)
  return import(pathToFileURL(join(folder, 'hostile.js')).href)
}

/** Commits files to the main branch of a repository. */
const commit = (ask, repository, files) =>
  ask('POST', `/repos/${repository}/contents`, {
    branch: 'main',
    files: Object.entries(files).map(([path, text]) => ({ operation: 'create', path, content: encoded(text) })),
  })

/** A new repository with workflows that name `patterns` as the paths that they follow, and the files that are compared. */
const paths = (patterns) => async (ask, login, name) => {
  await ask('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' })
  const workflow = `on: {push: {paths: ${JSON.stringify(patterns)}}}\njobs: {a: {runs-on: x, steps: [{run: echo}]}}\n`
  await commit(ask, `${login}/${name}`, { '.forgejo/workflows/a.yml': workflow })
  const names = Array.from({ length: fileCount }, (_, index) => `${'a'.repeat(100)}${index}`)
  await commit(ask, `${login}/${name}`, Object.fromEntries(names.map((path) => [path, ''])))
}

const file = (path, text, read) => async (ask, login, name) => {
  await ask('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' })
  await commit(ask, `${login}/${name}`, { [path]: text })
  if (read) await ask('GET', `/repos/${login}/${name}/${read}`)
}

/**
 * Attacks by their names; each is given `ask` of the API, the login of its account and a free name for a repository.
 * @param url address of the server
 */
export async function hostileTexts(url) {
  const stars = '*a'.repeat(40)
  const attacks = {
    'workflow: keys inside keys': file('.forgejo/workflows/a.yml', '? '.repeat(700)),
    'workflow: lists inside lists': file('.forgejo/workflows/a.yml', '['.repeat(100_000)),
    'workflow: paths with many stars': paths(Array.from({ length: 50 }, (_, index) => `**/${stars}${index}b`)),
    'issue template: keys inside keys': file(
      '.forgejo/issue_template/a.yaml',
      `name: a\nabout: ${'? '.repeat(400)}\n`,
      'issue_templates',
    ),
    '.gitattributes with many stars': file(
      '.gitattributes',
      Array.from({ length: 2000 }, (_, index) => `${stars}${index}b linguist-vendored\n`).join(''),
      'languages',
    ),
  }
  const { hostileUploads, sitePathOf } = await loadUploads()
  for (const upload of await hostileUploads()) {
    const { what, method, path, contentType = 'application/octet-stream', content } = upload
    attacks[`${path}: ${what}`] = async (ask, login) => {
      const headers = { authorization: `token ${ask.token}`, 'content-type': contentType }
      const response = await fetch(url + sitePathOf(upload, login), { method, headers, body: content })
      await response.arrayBuffer()
      if (response.status >= 500) throw new Error(`${path} answered ${response.status}: ${what}`)
    }
  }
  return attacks
}
