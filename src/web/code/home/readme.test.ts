import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Clone } from '../../../testing/clone.ts'
import { startForge } from '../../../testing/forge.ts'

/** A file's text, or the target of a symbolic link. */
type Files = Readonly<Record<string, string | { readonly link: string }>>

interface Case {
  readonly files: Files
  readonly folder?: string
  /** The first paragraph below the folder. */
  readonly shown: string | undefined
}

const broken: Readonly<Record<string, string>> = {
  nowhere: 'missing.md',
  outside: '../../etc/passwd',
  absolute: '/etc/passwd',
  itself: 'README.md',
  'a folder': 'docs',
}

const cases: readonly Case[] = [
  { files: { 'README.md': { link: 'docs/start.md' }, 'docs/start.md': 'start' }, shown: 'start' },
  { files: { 'README.md': { link: 'a' }, a: { link: './b.md' }, 'b.md': 'chain' }, shown: 'chain' },
  ...Object.values(broken).flatMap((link): Case[] => [
    { files: { 'README.md': { link }, 'readme.txt': 'text', 'docs/x': 'x' }, shown: 'text' },
    { files: { 'README.md': { link }, 'docs/README.md': 'docs' }, shown: 'docs' },
    { files: { 'README.md': { link }, 'a.txt': 'a' }, shown: undefined },
  ]),
  ...['docs', '.github', '.gitea', '.forgejo'].flatMap((folder): Case[] => [
    { files: { [`${folder}/README.md`]: 'inner', 'a.txt': 'a' }, shown: 'inner' },
    { files: { [`${folder}/README.md`]: 'inner', 'README.md': 'own' }, shown: 'own' },
  ]),
  { files: { '.github/README.md': 'next [page](more.md)', 'a.txt': 'a' }, shown: 'next ' },
  { files: { 'README.md': { link: '.github/a.md' }, '.github/a.md': 'next [page](more.md)' }, shown: 'next ' },
  { files: { 'lib/docs/README.md': 'inner' }, folder: 'lib', shown: undefined },
]

test('a folder shows the file that describes it: the target of a link, the next one after a broken link, and one in docs/ or a folder of forges', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  for (const [index, { files }] of cases.entries()) {
    await clone.must('checkout', '-q', '--orphan', `case-${index}`)
    await clone.must('rm', '-rqf', '.')
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(clone.path, name, '..'), { recursive: true })
      if (typeof content === 'string') writeFileSync(join(clone.path, name), content)
      else symlinkSync(content.link, join(clone.path, name))
    }
    await clone.must('add', '-A')
    await clone.must('commit', '-qm', 'files')
  }
  await clone.must('push', '-q', 'origin', '--all')
  for (const [index, { files, folder = '', shown }] of cases.entries()) {
    const { text } = await forge.guest.get(`/${repo.fullName}/src/branch/case-${index}/${folder}`, { site: true })
    const words = /id="readme".*?(?:<p[^>]*>|<pre[^>]*>)([^<]*)/s.exec(text)?.[1]
    assert.equal(words, shown, JSON.stringify(files))
    // Relative links begin at the folder of the text, which need not be the folder of the page.
    if (shown === 'next ') assert.match(text, new RegExp(`href="[^"]*/src/branch/case-${index}/\\.github/more\\.md"`))
  }
})
