/** Hostile texts that are expensive for a careless parser, as requests to a server. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle, ownBuildFolder } from './bundle.mjs'

/** Files in a repository that patterns match against. */
const fileCount = 3000

/** Accepts any answer but a server error: the server may refuse hostile texts. */
const allowingRefusal = (answer) =>
  answer.catch((error) => {
    if (/answered 5/.test(error.message)) throw error
  })

const encoded = (text) => Buffer.from(text).toString('base64')

/** The module with the most expensive registry uploads, which the tests of packages also send. */
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

/** Empty files with long names, by path. */
const longNames = () =>
  Object.fromEntries(Array.from({ length: fileCount }, (_, index) => [`${'a'.repeat(100)}${index}`, '']))

/** A new repository with workflows that use `patterns` as path filters, and the files that they match against. */
const paths = (patterns) => async (ask, login, name) => {
  await ask('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' })
  const workflow = `on: {push: {paths: ${JSON.stringify(patterns)}}}\njobs: {a: {runs-on: x, steps: [{run: echo}]}}\n`
  await commit(ask, `${login}/${name}`, { '.forgejo/workflows/a.yml': workflow })
  await commit(ask, `${login}/${name}`, longNames())
}

const file = (path, text, read) => async (ask, login, name) => {
  await ask('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' })
  await commit(ask, `${login}/${name}`, { [path]: text })
  if (read) await allowingRefusal(ask('GET', `/repos/${login}/${name}/${read}`))
}

/** A new repository with many files and a branch protection with file patterns. */
const protectedPaths = (patterns) => async (ask, login, name) => {
  await ask('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' })
  const rule = { rule_name: 'main', enable_push: true, protected_file_patterns: patterns }
  await allowingRefusal(ask('POST', `/repos/${login}/${name}/branch_protections`, rule))
  await allowingRefusal(commit(ask, `${login}/${name}`, longNames()))
}

/**
 * Attacks by name. Each receives an API client `ask`, the login of its account and a free repository name.
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
    'issue template: lists inside lists': file(
      '.forgejo/issue_template/a.yaml',
      '['.repeat(100_000),
      'issue_templates',
    ),
    'protected_file_patterns with many stars': protectedPaths(
      Array.from({ length: 50 }, (_, index) => `**${stars}${index}b`).join(';'),
    ),
    'protected_file_patterns with many braces': protectedPaths(`${'{a,b}'.repeat(8)}*;`.repeat(500)),
    'CODEOWNERS with repetitions': async (ask, login, name) => {
      await ask('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' })
      const owners = `${'(a+)+'.repeat(5)}b @${login}\n`.repeat(500)
      await commit(ask, `${login}/${name}`, { CODEOWNERS: owners })
      const files = Object.entries(longNames()).slice(0, 500)
      await ask('POST', `/repos/${login}/${name}/contents`, {
        branch: 'main',
        new_branch: 'change',
        files: files.map(([path]) => ({ operation: 'create', path, content: '' })),
      })
      await ask('POST', `/repos/${login}/${name}/pulls`, { title: 'a', head: 'change', base: 'main' })
    },
    '.editorconfig with many alternatives': file(
      '.editorconfig',
      '[{1..200}*]\n'.repeat(20_000),
      `editorconfig/${'1'.repeat(200)}`,
    ),
    '.gitmodules with many blanks': file(
      '.gitmodules',
      `[submodule "a"]\npath = ${' '.repeat(200_000)}\u2028x\n`,
      'contents',
    ),
    'file that begins with comments': file('a', '<!---->'.repeat(140), 'raw/a'),
    'issue with an address and much punctuation': async (ask, login, name) => {
      await ask('POST', '/user/repos', { name })
      await ask('POST', `/repos/${login}/${name}/issues`, { title: 'a', body: `http://a/${'!'.repeat(500_000)}b` })
    },
    '.gitattributes with many stars': file(
      '.gitattributes',
      Array.from({ length: 2000 }, (_, index) => `${stars}${index}b linguist-vendored\n`).join(''),
      'languages',
    ),
  }
  const { hostileUploads, sitePathOf } = await loadUploads()
  const uploads = (await Promise.all(hostileUploads.map(({ make }) => make()))).flat()
  for (const upload of uploads) {
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
