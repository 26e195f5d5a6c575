/** The files of the project's sources and tests, each read once by a script. */
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fromRoot, root } from './project.mjs'

const texts = new Map()

/** The paths of all files below a folder, from the root of the project, sorted. */
export const filesBelow = (folder) =>
  readdirSync(fromRoot(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()

/** Returns the texts of all files below `src` or `test` that end in `.ts` or `.tsx`, by path from the root of the project. */
export function sourceTexts(folder) {
  let found = texts.get(folder)
  if (found === undefined) {
    const paths = filesBelow(folder).filter((path) => /\.tsx?$/.test(path))
    texts.set(folder, (found = new Map(paths.map((path) => [path, readFileSync(fromRoot(path), 'utf8')]))))
  }
  return found
}
