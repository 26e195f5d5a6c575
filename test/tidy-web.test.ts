import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'

const files = readdirSync('src/web', { recursive: true, encoding: 'utf8' }).map((path) => `src/web/${path}`)
const code = files.filter((path) => /\.tsx?$/.test(path) && !/\.test(?:-support)?\.tsx?$/.test(path))

/** Lines that match, as `path:line: text`. */
const linesWith = (paths: readonly string[], pattern: RegExp): string[] =>
  paths.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  )

test('mayHere says what an archived repository permits; only views show whether it is archived', () => {
  const deciding = code.filter((path) => !path.endsWith('.view.tsx') && !/(?:-frame|-row)\.tsx$/.test(path))
  assert.deepEqual(linesWith(deciding, /\bis_archived\b/), [])
})

test('colours are written in tokens.css only', () => {
  const sheets = files.filter((path) => path.endsWith('.css') && !path.endsWith('/tokens.css'))
  assert.deepEqual(linesWith(sheets, /#[\da-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch|hwb)\(/i), [])
})
