import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { filesOf, newRepository, someone, startTestGit } from '../../git/git.test-support.ts'
import type { Oid } from '../../lib/ids.ts'
import { countChangedLanguages, countLanguagesOf } from './count-languages.service.ts'

const folders = ['', 'src/', 'src/deep/', 'vendor/x/', 'docs/']
const names = [
  'a.go',
  'b.ts',
  'c.c',
  'd.h',
  'e.m',
  'f.py',
  'g.min.js',
  'h.cpp',
  'README.md',
  'x.unknown',
  'k.pl',
  'l.pro',
]

test('countChangedLanguages: the count of what changed is the count of the whole tree', async () => {
  const seed = randomInt(1 << 30)
  let state = seed
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >>> 8) % bound
  }
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git, {
    'a.go': 'package a',
    'b.ts': 'let b',
    '.gitattributes': '*.x linguist-language=Go',
  })
  const repo = { git_key: key }
  let commit = (await git.readHead(key)).oid!
  let bytes = await countLanguagesOf(test, repo, commit)
  let changed = 0
  for (let round = 0; round < 60; round += 1) {
    const { entries } = await git.listTreeRecursive(key, commit, { foldersToo: false })
    const edits: Record<string, string | null> = {}
    for (let edit = 0; edit <= below(3); edit += 1) {
      edits[`${folders[below(folders.length)]}${names[below(names.length)]}`] = 'x'.repeat(below(50))
    }
    const gone = entries[below(entries.length)]!.path
    if (below(3) === 0 && !(gone in edits)) edits[gone] = null
    if (below(10) === 0) edits['.gitattributes'] = `*.py linguist-language=${['Go', 'Rust'][below(2)]}\n`
    const next: Oid = (
      await git.writeCommit(key, {
        parents: [commit],
        tree: { base: commit, changes: filesOf(edits) },
        author: someone,
        committer: someone,
        message: 'edit',
      })
    ).oid
    const counted = await countLanguagesOf(test, repo, next)
    const found = await countChangedLanguages(test, repo, next, { commit, bytes })
    if (found !== undefined) {
      changed += 1
      assert.deepEqual([...found], [...counted], `seed ${seed}, round ${round}: ${JSON.stringify(edits)}`)
    }
    commit = next
    bytes = counted
  }
  assert.ok(changed > 5, `seed ${seed}: ${changed} of 60 commits were counted by their changes`)
  // A commit that maintenance has removed, and a count by other rules.
  assert.equal(await countChangedLanguages(test, repo, commit, { commit: '1'.repeat(40) as Oid, bytes }), undefined)
})
