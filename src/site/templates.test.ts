import assert from 'node:assert/strict'
import test from 'node:test'
import { Invalid } from '../lib/errors.ts'
import { findGitignore, joinGitignores, listGitignoreNames } from './gitignore.templates.ts'
import { findLabelTemplate, listLabelTemplateNames } from './label.templates.ts'
import { fillLicense, findLicense, listLicenseKeys } from './license.templates.ts'
import { renderReadme } from './readme.templates.ts'

test('listGitignoresTemplates, getGitignoreTemplateInfo: names are sorted, unknown ones have no text', async () => {
  const names = await listGitignoreNames()
  assert.ok(names.length > 250)
  assert.deepEqual(names, [...names].sort())
  assert.match((await findGitignore('Go')) ?? '', /^\*\.test$/m)
  assert.equal(await findGitignore('constructor'), undefined)
})

test('createCurrentUserRepo: several ignore templates are joined under headings', async () => {
  assert.match(await joinGitignores('Go, Rust'), /^# ---> Go\n[\s\S]*\n\n# ---> Rust\n[\s\S]*[^\n]\n$/)
  assert.equal(await joinGitignores(''), '')
  await assert.rejects(joinGitignores('Go,NoSuchThing'), Invalid)
})

test('listLicenseTemplates, getLicenseTemplateInfo: preferred ones first, the others by name', async () => {
  const keys = listLicenseKeys(['Apache-2.0', 'MIT', 'Made-Up'])
  assert.deepEqual(keys.slice(0, 3), ['Apache-2.0', 'MIT', '0BSD'])
  assert.ok(keys.length > 600)
  assert.deepEqual(keys.slice(2), [...keys.slice(2)].sort())
  assert.equal(await findLicense('../package'), undefined)
  assert.match((await findLicense('GPL-2.0+'))?.body ?? '', /GNU GENERAL PUBLIC LICENSE/)
})

test('createCurrentUserRepo: a licence names year and holder; the GNU licences stay as they are', async () => {
  const values = { year: 2026, holder: 'Ann $& Example' }
  const filled = async (key: string): Promise<string> => {
    const template = await findLicense(key)
    assert.ok(template)
    return fillLicense(template, values)
  }
  assert.match(await filled('MIT'), /^Copyright \(c\) 2026 Ann \$& Example$/m)
  assert.match(await filled('BSD-3-Clause'), /Copyright \(c\) 2026 Ann \$& Example/)
  assert.match(await filled('Apache-2.0'), /Copyright 2026 Ann \$& Example/)
  assert.match(await filled('GPL-3.0-only'), /<name of author>/)
})

test('listLabelTemplates, getLabelTemplateInfo: scoped sets are exclusive where it makes sense', () => {
  assert.deepEqual(listLabelTemplateNames(), ['Default', 'Advanced'])
  assert.equal(findLabelTemplate('default'), undefined)
  for (const { name, color, exclusive } of findLabelTemplate('Advanced') ?? []) {
    assert.match(color, /^[0-9a-f]{6}$/)
    assert.equal(exclusive, !name.startsWith('Kind/'))
  }
})

test('createCurrentUserRepo: the README is the name, a blank line and the description', () => {
  assert.equal(renderReadme('', { name: 'one', description: '' }), '# one\n\n')
  assert.equal(renderReadme('Default', { name: 'one', description: 'All of it' }), '# one\n\nAll of it')
  assert.equal(renderReadme('Other', { name: 'one', description: '' }), undefined)
})
