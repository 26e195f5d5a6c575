#!/usr/bin/env node
/**
 * Checks the imports of `src/` against `dependency-rules.cjs`, and refuses cycles.
 *
 *     node scripts/imports.mjs [--source FOLDER]
 */
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureReady, fail, fromRoot } from './lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({ options: { source: { type: 'string', default: fromRoot('src') } } })
const { parseSync } = await import('oxc-parser')
const rules = createRequire(import.meta.url)('../dependency-rules.cjs')
const source = resolve(options.source)

const files = readdirSync(source, { recursive: true })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
  .sort()
const known = new Set(files)
const problems = []
const report = (file, line, text) => problems.push(`${relative(process.cwd(), join(source, file))}:${line}: ${text}`)

/** The imports of a file: specifier, line, whether it imports only types, and whether it is dynamic. */
function importsOf(file) {
  const text = readFileSync(join(source, file), 'utf8')
  const { module, errors } = parseSync(file, text)
  for (const error of errors) report(file, 1, `cannot be parsed: ${error.message}`)
  const lineAt = (offset) => text.slice(0, offset).split('\n').length
  const found = []
  for (const { moduleRequest, entries, start } of module.staticImports) {
    const typesOnly = entries.length > 0 && entries.every((entry) => entry.isType)
    found.push({ what: moduleRequest.value, typesOnly, line: lineAt(start) })
  }
  for (const { entries, start } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest) found.push({ what: moduleRequest.value, typesOnly: isType, line: lineAt(start) })
    }
  }
  for (const { moduleRequest, start } of module.dynamicImports) {
    const literal = /^(['"`])([^$]*)\1$/s.exec(text.slice(moduleRequest.start, moduleRequest.end))
    // A computed specifier names a file of the built program, such as a data file; the rules do not cover it.
    if (literal !== null) found.push({ what: literal[2], typesOnly: false, line: lineAt(start), isLate: true })
  }
  return found
}

const withoutExtension = (file) => file.replace(/\.tsx?$/, '')
const roleOf = (file) => /\.([a-z]+)\.tsx?$/.exec(file)?.[1]
const isExempt = (file) => roleOf(file) === 'test' || /\.test-support\.tsx?$/.test(file) || file.startsWith('testing/')

/** Returns whether a name in the rules means this file: by path, folder or role. */
function isMeant(file, name) {
  const path = withoutExtension(file)
  if (name.startsWith('*.')) return roleOf(file) === name.slice(2)
  const [folder, role] = name.split('/*.')
  if (role !== undefined) return path.startsWith(`${folder}/`) && roleOf(file) === role
  return path === name || path.startsWith(`${name}/`)
}

const layers = rules.layers.map((layer) => ({ ...layer, members: layer.members ?? layer.order.flat() }))

/** The layer and member that a file belongs to. A rule for one file precedes the rule for its folder. */
function placeOf(file) {
  let best
  for (const [index, layer] of layers.entries()) {
    for (const member of layer.members) {
      if (isMeant(file, member) && (best === undefined || member.length > best.member.length)) {
        best = { index, layer, member }
      }
    }
  }
  return best
}

function checkLayers(file, from, target, to, line) {
  if (from.member === to.member) return
  const asked = `${from.member} may not import ${to.member}`
  if (to.index > from.index) {
    if (from.layer.mayImport?.some((name) => isMeant(target, name))) return
    report(file, line, `${asked}: ${to.layer.name} is above ${from.layer.name}`)
    return
  }
  if (to.index < from.index || from.layer.within === 'free') return
  if (from.layer.within === 'ordered') {
    const rank = (member) => from.layer.order.findIndex((group) => group.includes(member))
    if (rank(to.member) > rank(from.member)) report(file, line, `${asked}: it comes later in the order of features`)
    return
  }
  if (!from.layer.within[from.member]?.includes(to.member)) {
    report(file, line, `${asked}: parts of the layer ${from.layer.name} do not know each other`)
  }
}

/** The folder of a divided feature that a file is in; undefined at the feature's root and in an undivided feature. */
function themeOf(file) {
  const [feature, theme, ...rest] = file.split('/')
  return rest.length > 0 && rules.themes[feature] !== undefined ? theme : undefined
}

function checkThemes(file, target, line) {
  const [feature] = file.split('/')
  const [from, to] = [themeOf(file), themeOf(target)]
  if (!target.startsWith(`${feature}/`) || from === to || from === undefined || to === undefined) return
  const rank = (theme) => rules.themes[feature].findIndex((group) => group.includes(theme))
  if (rank(to) < rank(from)) return
  report(
    file,
    line,
    `${feature}/${from} may not import ${feature}/${to}: it is not below it among the folders of ${feature}`,
  )
}

function checkRoles(file, target, line) {
  const [from, to] = [roleOf(file), roleOf(target)]
  const allowed = rules.roles[from]
  if (allowed === undefined || rules.roles[to] === undefined || allowed.includes(to)) return
  report(file, line, `a ${from} file may not import a ${to} file (${target})`)
}

function checkDoors(file, what, target, typesOnly, line) {
  for (const rule of rules.onlyFrom) {
    const matches = rule.what.startsWith('*.')
      ? target !== undefined && isMeant(target, rule.what)
      : what === rule.what ||
        what.startsWith(`${rule.what}/`) ||
        (rule.what.startsWith('node:') && what === rule.what.slice('node:'.length))
    if (!matches || (typesOnly && rule.types) || rule.places.some((place) => isMeant(file, place))) continue
    report(file, line, `${what} is imported here, but ${rule.why}`)
  }
}

const graph = new Map()
/** The files and packages that each file loads at start, with the line of the import. */
const loadedWith = new Map()
for (const file of files) {
  const targets = new Map()
  graph.set(file, targets)
  const loaded = { files: new Set(), packages: new Map() }
  loadedWith.set(file, loaded)
  const from = placeOf(file)
  if (from === undefined && !isExempt(file)) {
    report(file, 1, 'belongs to no layer of dependency-rules.cjs')
    continue
  }
  const theme = themeOf(file)
  if (theme !== undefined && !rules.themes[file.split('/')[0]].flat().includes(theme)) {
    report(file, 1, `the folder ${theme} is not among the themes of dependency-rules.cjs`)
  }
  for (const { what, typesOnly, line, isLate } of importsOf(file)) {
    const target = what.startsWith('.') ? relative(source, resolve(source, dirname(file), what)) : undefined
    const isSource = target !== undefined && known.has(target)
    if (target !== undefined && !isSource && /\.tsx?$/.test(target)) report(file, line, `${what} does not exist`)
    if (isSource && !targets.has(target)) targets.set(target, line)
    if (!typesOnly && !isLate) {
      if (isSource) loaded.files.add(target)
      else loaded.packages.set(what, line)
    }
    if (isExempt(file)) continue
    checkDoors(file, what, target, typesOnly, line)
    if (!isSource) continue
    const to = placeOf(target)
    if (to === undefined) continue
    checkLayers(file, from, target, to, line)
    checkThemes(file, target, line)
    if (isExempt(target) && from.layer.name !== 'program') report(file, line, `${target} is for tests`)
    if (!typesOnly) checkRoles(file, target, line)
  }
}

/** Reports one cycle through each file that closes one, by a depth-first walk; imports of types count. */
function checkCycles() {
  const done = new Set()
  const path = []
  const visit = (file) => {
    if (done.has(file)) return
    const start = path.indexOf(file)
    if (start !== -1) {
      report(path.at(-1), graph.get(path.at(-1)).get(file), `cycle: ${[...path.slice(start), file].join(' → ')}`)
      return
    }
    path.push(file)
    for (const target of graph.get(file)?.keys() ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of files) visit(file)
}
checkCycles()

/** Reports packages that every start loads although the rules want them loaded on first use. */
function checkLate() {
  const { starts, packages } = rules.late
  const atStart = new Set(files.filter((file) => starts.some((name) => withoutExtension(file) === name)))
  for (const file of atStart) {
    const { files: others, packages: named } = loadedWith.get(file)
    for (const other of others) atStart.add(other)
    for (const [what, line] of named) {
      const late = packages.find((name) => what === name || what.startsWith(`${name}/`))
      if (late === undefined) continue
      report(file, line, `${late} is loaded at every start by this import: an idle server does without it (import())`)
    }
  }
}
checkLate()

for (const problem of problems) console.log(problem)
if (problems.length > 0) fail(`imports: ${problems.length} problems in ${files.length} files`)
console.log(`imports: ${files.length} files obey the rules`)
