#!/usr/bin/env node
/**
 * Prints the TypeBox source of contract types in the house style, for a `*.schemas.ts` file.
 *
 *     npm run --silent contract:schema -- [--as request|response] [--with-needed] TYPE…
 *
 * `--with-needed` also prints the types that the named ones refer to. Otherwise comments name the schemas to import and
 * the files that declare them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fail, fromRoot, root } from './lib/project.mjs'

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { as: { type: 'string' }, 'with-needed': { type: 'boolean', default: false } },
})
if (names.length === 0) fail('usage: npm run --silent contract:schema -- [--as request|response] [--with-needed] TYPE…')
if (options.as !== undefined && !['request', 'response'].includes(options.as)) fail('--as is request or response')

const definitions = JSON.parse(readFileSync(fromRoot('test/contract/types.json'), 'utf8')).definitions
for (const name of names) if (!Object.hasOwn(definitions, name)) fail(`the contract has no type ${name}`)

const width = 120
const nameOf = (ref) => ref.slice('#/definitions/'.length)

/** The names of the types that a schema refers to. */
const neededBy = (schema) => {
  const found = new Set()
  JSON.stringify(schema, (key, value) => {
    if (key === '$ref') found.add(nameOf(value))
    return value
  })
  return [...found]
}

/** Every type once, each after the types that it refers to; a cycle is cut at the edge that leads back. */
const order = new Map()
const visit = (name) => {
  if (order.has(name)) return
  order.set(name, -1)
  for (const needed of neededBy(definitions[name])) visit(needed)
  order.delete(name)
  order.set(name, order.size)
}
for (const name of Object.keys(definitions).sort()) visit(name)
const rank = new Map([...order.keys()].map((name, index) => [name, index]))

const usageOf = (name) => definitions[name]['x-usage'] ?? []
const isRequest = (name) => {
  if (options.as !== undefined && names.includes(name)) return options.as === 'request'
  return usageOf(name).includes('request') && !usageOf(name).includes('response')
}

const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const keyOf = (key) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key))
const printOptions = (entries) =>
  entries.length === 0 ? '' : `{ ${entries.map(([key, value]) => `${keyOf(key)}: ${value}`).join(', ')} }`

/** A call with one argument per line when it does not fit on one line. */
const call = (callee, items, indent) => {
  const line = `${callee}(${items.join(', ')})`
  if (line.length + indent <= width - 24) return line
  const lines = ['']
  for (const item of items) {
    const last = lines.at(-1)
    if (last === '') lines[lines.length - 1] = `${item},`
    else if (last.length + item.length + indent < width - 24) lines[lines.length - 1] += ` ${item},`
    else lines.push(`${item},`)
  }
  const space = ' '.repeat(indent + 2)
  return `${callee}(\n${lines.map((text) => space + text).join('\n')}\n${' '.repeat(indent)})`
}

const enumeration = (values, indent) => call('enumeration', values.filter((value) => value !== null).map(quote), indent)

/** The source of one schema without its nullability. `notes` collects what the schema cannot express. */
const print = (schema, place, indent, notes) => {
  const rule = (place.request && schema['x-validation']) || {}
  if (schema.anyOf) {
    const inner = schema.anyOf.filter((part) => part.type !== 'null')
    if (inner.length === 1) return print(inner[0], place, indent, notes)
    return call('Type.Union', [`[${inner.map((part) => print(part, place, indent, notes)).join(', ')}]`], indent)
  }
  if (schema.$ref) {
    const name = nameOf(schema.$ref)
    if (rule.in) return enumeration(rule.in, indent)
    if (rank.get(name) >= rank.get(place.type)) return `reference(${quote(name)})`
    const isShared = place.request && usageOf(name).includes('response') && definitions[name].type === 'object'
    return isShared ? `Type.Partial(${name})` : name
  }
  const values = place.request ? rule.in : schema.enum
  if (values) return enumeration(values, indent)
  if (place.request && schema.enum) notes.push(`expected: ${schema.enum.filter(Boolean).join(', ')}`)
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  if (types.length !== 1) return 'Type.Unknown()'
  switch (types[0]) {
    case 'string': {
      if (schema.format === 'date-time') return 'dateTime()'
      const limits = []
      if (rule.required) limits.push(['minLength', 1])
      if (rule.maxLength) limits.push(['maxLength', rule.maxLength])
      if (rule.pattern) limits.push(['pattern', quote(rule.pattern)])
      return `Type.String(${printOptions(limits)})`
    }
    case 'integer':
      if (rule.required) notes.push('zero counts as missing')
      return 'Type.Integer()'
    case 'number':
      return 'Type.Number()'
    case 'boolean':
      return schema.default === undefined ? 'Type.Boolean()' : `Type.Boolean({ default: ${schema.default} })`
    case 'array': {
      const items = print(schema.items ?? {}, place, indent, notes)
      const inner = isNullable(schema.items ?? {}) ? `nullable(${items})` : items
      return rule.required ? `Type.Array(${inner}, { minItems: 1 })` : `Type.Array(${inner})`
    }
    case 'object':
      return printObject(schema, place, indent, notes)
    default:
      throw new Error(`the type ${types[0]} in ${place.type} is not known to this script`)
  }
}

const isNullable = (schema) =>
  schema['x-nullable'] === true && (schema.anyOf ?? schema.type ?? schema.$ref) !== undefined

const printObject = (schema, place, indent, notes, name) => {
  const extra = schema.additionalProperties
  if (!schema.properties) {
    const values = typeof extra === 'object' ? print(extra, place, indent, notes) : 'Type.Unknown()'
    return `Type.Record(Type.String(), ${values})`
  }
  const lines = Object.entries(schema.properties).flatMap(([key, property]) =>
    printProperty(key, property, { ...place, required: schema.required }, indent + 2),
  )
  const space = ' '.repeat(indent)
  if (name === undefined) return `Type.Object({\n${lines.join('\n')}\n${space}})`
  return `${place.request ? 'requestObject' : 'object'}(${quote(name)}, {\n${lines.join('\n')}\n${space}})`
}

const printProperty = (key, property, place, indent) => {
  const notes = []
  const rule = property['x-validation'] ?? {}
  const isRequired = place.request ? (place.required ?? []).includes(key) : property['x-required-in-response'] !== false
  let source = print(property, place, indent, notes)
  if (isNullable(property) && !(place.request && rule.required)) source = `nullable(${source})`
  if (!isRequired) source = `Type.Optional(${source})`
  if (place.request) {
    if (rule.rules) notes.push(`rule: ${rule.rules.join(', ')}`)
    if (rule.omitEmpty) notes.push('empty is allowed')
    if (rule.documentedRequired) notes.push('documented as required, absence is not refused here')
    const usualName = key
      .split('_')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join('')
    if (rule.errorField && rule.errorField !== usualName) notes.push(`errors name it ${rule.errorField}`)
  }
  if (property['x-unit']) notes.push(`unit: ${property['x-unit']}`)
  if (property['x-deprecated']) notes.push('deprecated')
  const space = ' '.repeat(indent)
  const line = `${space}${keyOf(key)}: ${source},`
  if (notes.length === 0) return [line]
  const comment = `// ${notes.join('; ')}`
  return line.includes('\n') || line.length + comment.length + 1 > width
    ? [`${space}${comment}`, line]
    : [`${line} ${comment}`]
}

const printType = (name) => {
  const schema = definitions[name]
  const place = { type: name, request: isRequest(name) }
  const notes = []
  const source = schema.properties ? printObject(schema, place, 0, notes, name) : print(schema, place, 0, notes)
  const comments = notes.map((note) => `// ${note}\n`).join('')
  return `${comments}export const ${name} = ${source}\nexport type ${name} = Static<typeof ${name}>\n`
}

const wanted = new Set(names)
if (options['with-needed']) {
  for (const name of wanted) for (const needed of neededBy(definitions[name])) wanted.add(needed)
}
const printed = [...wanted].sort((a, b) => rank.get(a) - rank.get(b))
const sources = printed.map(printType)
const text = sources.join('\n')

/** The schema file that declares each name. */
const declaredIn = new Map()
for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.schemas.ts')) continue
  const content = readFileSync(join(root, 'src', file), 'utf8')
  for (const match of content.matchAll(/^export const (\w+) =/gm)) declaredIn.set(match[1], `src/${file}`)
}
const helpers = ['dateTime', 'enumeration', 'nullable', 'object', 'reference', 'requestObject'].filter((helper) =>
  new RegExp(`\\b${helper}\\(`).test(text),
)
const imports = [...new Set(printed.flatMap((name) => neededBy(definitions[name])))]
  .filter((name) => !wanted.has(name) && new RegExp(`\\b(?<!')${name}\\b`).test(text))
  .sort()

console.log(`import { ${text.includes('Type.') ? 'Type, ' : ''}type Static } from 'typebox'`)
if (helpers.length > 0) console.log(`import { ${helpers.join(', ')} } from '../http/schema.ts'`)
for (const name of imports) {
  console.log(declaredIn.has(name) ? `// ${name} is in ${declaredIn.get(name)}` : `// ${name} is declared nowhere yet`)
}
for (const name of printed) {
  if (declaredIn.has(name)) console.log(`// ${name} is declared already in ${declaredIn.get(name)}`)
}
console.log(`\n${text}`)
