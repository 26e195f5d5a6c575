/**
 * Places in bundled files as places in their sources. Node's own `--enable-source-maps` reads the maps of all files that are
 * loaded, which takes a fifth of the processor time of a small file of tests. Here a map is read when a place is asked for.
 */
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const maps = new Map()

function mapOf(file) {
  let map = maps.get(file)
  if (map === undefined) {
    const path = `${file}.map`
    map = existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null
    maps.set(file, map)
  }
  return map
}

/** The place in the source of a place in a file, counted from 1, or the same place when the file has no map for it. */
export function originalPlace(file, line, column) {
  const entry = mapOf(file)?.findEntry(line - 1, column - 1)
  if (entry?.originalSource === undefined) return { file, line, column }
  return {
    file: resolve(dirname(file), entry.originalSource),
    line: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  }
}

/** The text of a stack with the places of its frames in the sources. */
export const originalStack = (stack) =>
  stack.replaceAll(/((?:file:\/\/)?\/[^\s():]+\.js):(\d+):(\d+)/g, (_, address, atLine, atColumn) => {
    const path = address.startsWith('file:') ? fileURLToPath(address) : address
    const { file, line, column } = originalPlace(path, Number(atLine), Number(atColumn))
    return `${file}:${line}:${column}`
  })
