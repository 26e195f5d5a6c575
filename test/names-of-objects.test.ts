import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamedOperation } from '../src/http/operation.ts'
import { Browser } from '../src/testing/browser.ts'
import { startForge } from '../src/testing/forge.ts'
import { givenPull } from '../src/testing/given-pull.ts'
import { base64 } from '../src/testing/samples.ts'
import { everythingOn } from './authorization-world.ts'

/** What every object of the language has: a table of words that is an object has them as well. */
const names = ['constructor', '__proto__', 'toString']

const usual: Readonly<Record<string, string>> = {
  username: 'alice',
  reponame: 'tool',
  org: 'guild',
  sha: 'main',
  ref: 'main',
  filepath: 'README.md',
  diffType: 'diff',
  ball_type: 'zipball',
}

const parameters = /\{([\w-]+)\+?\}/g

/** The address of an operation, with each parameter and then each part of the query named like a member of objects. */
function addressesOf({ path, query }: NamedOperation): string[] {
  const usualPath = (other?: string, name = ''): string =>
    path.replaceAll(parameters, (_, each: string) => (each === other ? name : (usual[each] ?? '1')))
  return names.flatMap((name) => [
    ...[...path.matchAll(parameters)].map(([, each]) => usualPath(each, name)),
    ...Object.keys(query).map(
      (each) => `${usualPath()}?${each}=${each === 'q' ? `is:${name}+${name}:x+sort:${name}` : name}`,
    ),
  ])
}

test('no name of a member of objects in an address or a query causes a server error', async () => {
  await using forge = await startForge({ users: ['alice'], settings: everythingOn })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  await givenPull(forge, { repo })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const browser = await Browser.of(forge, 'alice')
  const alice = forge.as('alice')
  const wrong: string[] = []
  let count = 0
  for (const operation of forge.services.operations()) {
    if (operation.method !== 'GET' || operation.lasts || operation.cost === 'waiting') continue
    for (const address of addressesOf(operation)) {
      const isApi = operation.base === 'api'
      const { status } = isApi ? await alice.get(address) : await browser.get(address)
      count += 1
      if (status >= 500 && status !== 501) wrong.push(`${operation.id} ${address}: ${status}`)
    }
  }
  const causes = forge.defects.splice(0).map(String)
  assert.deepEqual(wrong, [], causes.join('\n'))
  assert.ok(count > 3000, `${count} requests`)
})

test('files, languages and elements that are named like members of objects are shown as others', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const alice = forge.as('alice')
  const body = names
    .map(
      (name) => `\`\`\`${name}\ncode of ${name}\n\`\`\`\n\n<${name} ${name}="x" class="${name}">in ${name}</${name}>\n`,
    )
    .join('\n')
  const { number } = await forge.given.issue({ repo, title: 'words', body })
  const paths = names.flatMap((name) => [name, `a.${name}`, `${name}.md`])
  const files = paths.map((path, at) => ({ operation: 'create', path, content: base64(`text ${at}\n`) }))
  await alice.must('POST', `${repo.api}/contents`, { files, branch: 'main', message: 'words' })
  await forge.settle()
  const browser = await Browser.of(forge, 'alice')
  const issue = await browser.get(`/${repo.fullName}/issues/${number}`)
  for (const name of names) {
    assert.ok(issue.text.includes(`code of ${name}`), name)
    // Underscores are emphasis.
    assert.ok(issue.text.includes(`in ${name.replaceAll('_', '')}`) || issue.text.includes('>proto</strong>'), name)
  }
  for (const [at, path] of paths.entries()) {
    const page = await browser.get(`/${repo.fullName}/src/branch/main/${path}`)
    assert.ok(page.status === 200 && page.text.includes(`text ${at}`), `${path}: ${page.status}`)
  }
  assert.deepEqual(forge.defects, [])
})
