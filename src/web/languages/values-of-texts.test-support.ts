import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

interface Node {
  readonly type: string
  readonly [name: string]: unknown
}

/** What a text shows: the values of its parameters that it uses, such as `0` or `0.ahead`, and the elements of its markup. */
export interface Shown {
  readonly values: readonly string[]
  readonly elements: readonly string[]
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))

/** Returns the nodes below a node, itself included. */
function* below(node: Node): Generator<Node> {
  yield node
  for (const child of childrenOf(node)) yield* below(child)
}

/** Returns the names that a parameter binds, each with the place of its value. */
function bindings(pattern: Node, place: string): (readonly [name: string, place: string])[] {
  switch (pattern.type) {
    case 'Identifier':
      return [[pattern['name'] as string, place]]
    case 'AssignmentPattern':
      return bindings(pattern['left'] as Node, place)
    case 'ObjectPattern':
      return (pattern['properties'] as Node[]).flatMap((property) =>
        bindings(property['value'] as Node, `${place}.${String((property['key'] as Node)['name'])}`),
      )
    default:
      throw new Error(`a parameter of a text is a ${pattern.type}`)
  }
}

const shownBy = (text: Node): Shown => {
  const places = new Map((text['params'] as Node[]).flatMap((each, index) => bindings(each, String(index))))
  const nodes = [...below(text['body'] as Node)]
  const values = nodes.flatMap((node) => (node.type === 'Identifier' ? (places.get(node['name'] as string) ?? []) : []))
  return { values: [...new Set(values)].toSorted(), elements: elementsOf(nodes) }
}

const elementsOf = (nodes: readonly Node[]): string[] =>
  nodes.flatMap((node) => (node.type === 'JSXOpeningElement' ? String((node['name'] as Node)['name']) : [])).toSorted()

/** Returns what the texts of an object show, by their names. A text that is declared elsewhere has no entry. */
function* shownIn(value: Node, name: string): Generator<readonly [string, Shown]> {
  switch (value.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'ParenthesizedExpression':
      yield* shownIn(value['expression'] as Node, name)
      break
    case 'ObjectExpression':
      for (const property of value['properties'] as Node[]) {
        const key = property['key'] as Node | undefined
        if (key) yield* shownIn(property['value'] as Node, `${name}.${String(key['name'] ?? key['value'])}`)
      }
      break
    case 'ArrowFunctionExpression':
      yield [name, shownBy(value)]
      break
    case 'JSXElement':
    case 'JSXFragment':
      yield [name, { values: [], elements: elementsOf([...below(value)]) }]
      break
    default:
      break
  }
}

/**
 * Returns what the texts of a language show, by file and name. It is read from their modules, because a text may take rows and parts of pages
 * as values.
 */
export function shownTexts(folder: string): ReadonlyMap<string, Shown> {
  const shown = new Map<string, Shown>()
  for (const file of globSync('*.tsx', { cwd: folder })) {
    const { program, errors } = parseSync(file, readFileSync(join(folder, file), 'utf8'))
    if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
    for (const statement of (program as unknown as Node)['body'] as Node[]) {
      const declaration = statement['declaration']
      if (statement.type !== 'ExportNamedDeclaration' || !isNode(declaration)) continue
      for (const { id, init } of declaration['declarations'] as { id: Node; init: Node }[]) {
        for (const [name, text] of shownIn(init, String(id['name']))) shown.set(`${file} ${name}`, text)
      }
    }
  }
  return shown
}
