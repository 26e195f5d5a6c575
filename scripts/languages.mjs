#!/usr/bin/env node
/**
 * Writes `src/code/data/languages.json` from the package `linguist-languages`: one small file, because loading the
 * package's many modules takes half a second. Run it after an update of the package.
 */
import { writeFileSync } from 'node:fs'
import * as languages from 'linguist-languages'
import { fromRoot } from './lib/project.mjs'

const table = {}
for (const language of Object.values(languages)) {
  const { name, type, color, group, extensions = [], filenames = [], interpreters = [] } = language
  table[name] = {
    type,
    ...(color ? { color } : {}),
    ...(group && group !== name ? { group } : {}),
    ...(extensions.length > 0 ? { extensions } : {}),
    ...(filenames.length > 0 ? { filenames } : {}),
    ...(interpreters.length > 0 ? { interpreters } : {}),
  }
}
const lines = Object.keys(table)
  .sort()
  .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(table[name])}`)
writeFileSync(fromRoot('src/code/data/languages.json'), `{\n${lines.join(',\n')}\n}\n`)
console.log(`${lines.length} languages`)
