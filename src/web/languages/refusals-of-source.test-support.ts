import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'

interface Node {
  readonly type: string
  readonly start: number
  readonly [name: string]: unknown
}

/** A place in the source, with the functions around it, the outermost first. */
interface Place {
  readonly file: string
  readonly around: readonly Node[]
}

interface Found extends Place {
  readonly node: Node
}

/** A sentence of a refusal as the source has it: `{0}` stands for its first value. */
export interface SourceSentence {
  readonly sentence: string
  /** File and line of the refusal. */
  readonly where: string
}

/** Stands for a value while a sentence is read. */
const value = '\0'

const isNode = (each: unknown): each is Node => typeof each === 'object' && each !== null && 'type' in each

const nodesIn = (each: unknown): Node[] => (Array.isArray(each) ? each.filter(isNode) : isNode(each) ? [each] : [])

const childrenOf = (node: Node): Node[] => Object.values(node).flatMap(nodesIn)

const nameOf = (node: unknown): string => (isNode(node) && node.type === 'Identifier' ? String(node['name']) : '')

const isFunction = ({ type }: Node): boolean => /Function/.test(type) && !type.startsWith('TS')

/** The classes of refusals, and functions that take the sentence of one, with the place of the sentence among the arguments. */
const takers: ReadonlyMap<string, number> = new Map([
  ...[
    'AccountRefused',
    'Archived',
    'BadRequest',
    'Conflict',
    'Forbidden',
    'Gone',
    'Invalid',
    'MethodNotAllowed',
    'NotAcceptable',
    'NotFound',
    'OverQuota',
    'PreconditionFailed',
    'TooLarge',
    'TooManyRequests',
    'Unauthenticated',
    'Unavailable',
    'Unsupported',
    'UnsupportedMediaType',
  ].map((name) => [name, 0] as const),
  ['deny', 1],
  ['OutgoingError', 1],
  // Mistakes in workflows.
  ['FileProblem', 0],
  ['PlanProblem', 0],
  ['RunProblem', 0],
  ['YamlProblem', 0],
  ['TemplateProblem', 0],
  // Faults of another server in an import.
  ['SourceProblem', 0],
])

/** Modules with classes of errors that have one sentence each, or a usual one. */
const withClasses = /^src\/(?:lib|secrets|imports)\//

/** Functions that return a sentence which is stored, and shown on pages. */
const sayers: ReadonlySet<string> = new Set(['descriptionOf'])

/** Members that carry a sentence. It is read where it is made: in a refusal, or in an object with this member. */
const carried: ReadonlySet<string> = new Set(['reason', 'problem', 'message'])

/** Members that carry the output of git. */
const ofGit: ReadonlySet<string> = new Set(['report', 'stderr'])

/** Reads the source of the program. */
export class RefusalsOfSource {
  /** Refusals and verdicts, by file. */
  readonly #made = new Map<string, Found[]>()
  /** Values of members that carry a sentence, by file. */
  readonly #members = new Map<string, Found[]>()
  readonly #calls = new Map<string, Found[]>()
  readonly #declared = new Map<string, Found[]>()
  readonly #texts = new Map<string, string>()
  /** Modules that a module loads. */
  readonly #imports = new Map<string, readonly string[]>()

  constructor() {
    for (const file of globSync('src/**/*.{ts,tsx}')) {
      if (/\.test\.tsx?$|\.test-support\.|^src\/testing\//.test(file)) continue
      const text = readFileSync(file, 'utf8')
      const { program, errors, module } = parseSync(file, text)
      if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
      this.#texts.set(file, text)
      const loaded = module.staticImports.filter(
        ({ entries }) => entries.length === 0 || entries.some((each) => !each.isType),
      )
      this.#imports.set(
        file,
        [...loaded, ...module.staticExports.flatMap(({ entries }) => entries)].flatMap(({ moduleRequest }) =>
          moduleRequest?.value.startsWith('.')
            ? [new URL(moduleRequest.value, `file:///${file}`).pathname.slice(1)]
            : [],
        ),
      )
      this.#read(program as unknown as Node, { file, around: [] })
    }
  }

  #read(node: Node, place: Place): void {
    const add = (map: Map<string, Found[]>, name: string, found: Node) => {
      if (name === '') return
      const known = map.get(name)
      if (known) known.push({ ...place, node: found })
      else map.set(name, [{ ...place, node: found }])
    }
    if (node.type === 'NewExpression' || node.type === 'CallExpression') {
      const callee = nameOf(node['callee'])
      if (takers.has(callee)) add(this.#made, place.file, node)
      else add(this.#calls, callee === '' ? nameOf((node['callee'] as Node)['property']) : callee, node)
    }
    if (node.type === 'Property' && /^(?:reason|problem)$/.test(nameOf(node['key'])) && isNode(node['value'])) {
      add(this.#members, place.file, node['value'])
    }
    if (node.type === 'Property' && isNode(node['value']) && isFunction(node['value'])) {
      add(this.#declared, nameOf(node['key']), node['value'])
    }
    if (node.type === 'VariableDeclarator' && isNode(node['init'])) {
      add(this.#declared, nameOf(node['id']), node['init'])
    }
    if (node.type === 'FunctionDeclaration') add(this.#declared, nameOf(node['id']), node)
    if (node.type === 'AssignmentExpression' && /^(?:reason|problem)$/.test(nameOf(node['left']))) {
      add(this.#members, place.file, node['right'] as Node)
    }
    // The sentence of a class, and the usual one.
    if (node.type === 'CallExpression' && (node['callee'] as Node).type === 'Super' && withClasses.test(place.file)) {
      for (const sentence of (node['arguments'] as Node[]).slice(0, 1)) add(this.#members, place.file, sentence)
    }
    if (node.type === 'AssignmentPattern' && nameOf(node['left']) === 'message') {
      add(this.#members, place.file, node['right'] as Node)
    }
    if (node.type === 'CallExpression' && sayers.has(nameOf(node['callee']))) add(this.#members, place.file, node)
    const inner = isFunction(node) ? { ...place, around: [...place.around, node] } : place
    for (const child of childrenOf(node)) this.#read(child, inner)
  }

  /** The modules of the program. */
  get files(): readonly string[] {
    return [...this.#texts.keys()]
  }

  /** Returns the modules that these load, themselves included. */
  loadedBy(files: readonly string[]): ReadonlySet<string> {
    const loaded = new Set<string>()
    const waiting = [...files]
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (loaded.has(file)) continue
      loaded.add(file)
      waiting.push(...(this.#imports.get(file) ?? []))
    }
    return loaded
  }

  /** Returns the sentences of refusals in a module, and the expressions whose sentences the source does not show. */
  sentencesOf(file: string): { readonly sentences: readonly SourceSentence[]; readonly unread: readonly string[] } {
    const sentences: SourceSentence[] = []
    const unread: string[] = []
    for (const { node, around } of this.#made.get(file) ?? []) {
      const args = node['arguments'] as Node[]
      const sentence = args[takers.get(nameOf(node['callee'])) ?? 0]
      if (sentence === undefined) continue
      const where = `${file}:${this.#lineOf(file, node)}`
      const read = this.#textsOf({ file, around, node: sentence }, [])
      if (read === undefined) unread.push(`${file}: ${this.#sourceOf(file, sentence)}`)
      else sentences.push(...read.map((each) => ({ sentence: numbered(each), where })))
    }
    for (const found of this.#members.get(file) ?? []) {
      const where = `${file}:${this.#lineOf(file, found.node)}`
      const read = this.#textsOf(found, []) ?? []
      sentences.push(...read.filter(isSentence).map((each) => ({ sentence: numbered(each), where })))
    }
    return { sentences, unread }
  }

  #lineOf = (file: string, { start }: Node): number => (this.#texts.get(file) ?? '').slice(0, start).split('\n').length

  #sourceOf = (file: string, node: Node): string =>
    (this.#texts.get(file) ?? '').slice(node.start, node['end'] as number).replaceAll(/\s+/g, ' ')

  /** Returns the texts that an expression may have; undefined when the source does not show one of them. */
  #textsOf(found: Found, seen: readonly Node[]): readonly string[] | undefined {
    const { node, file, around } = found
    if (seen.includes(node) || seen.length > 12) return []
    const further = (each: unknown) => this.#textsOf({ file, around, node: each as Node }, [...seen, node])
    const all = (each: readonly (readonly string[] | undefined)[]) =>
      each.some((texts) => texts === undefined) ? undefined : [...new Set(each.flatMap((texts) => texts ?? []))]
    switch (node.type) {
      case 'Literal':
        return typeof node['value'] === 'string' ? [node['value']] : []
      case 'TemplateLiteral':
        return this.#templateTexts(found, seen)
      case 'ConditionalExpression':
        return all([further(node['consequent']), further(node['alternate'])])
      case 'LogicalExpression':
        return all([further(node['left']), further(node['right'])])
      case 'TSAsExpression':
      case 'TSNonNullExpression':
      case 'AwaitExpression':
      case 'ParenthesizedExpression':
        return further(node['expression'] ?? node['argument'])
      case 'BinaryExpression': {
        const [left, right] = [further(node['left']), further(node['right'])]
        return left && right && left.flatMap((one) => right.map((other) => one + other))
      }
      case 'ObjectExpression':
        return all((node['properties'] as Node[]).map((each) => further(each['value'] ?? each['argument'])))
      case 'ArrayExpression':
        return all((node['elements'] as Node[]).map(further))
      case 'MemberExpression': {
        const name = nameOf(node['property'])
        if (carried.has(name) || ofGit.has(name) || isTextOfPages(node)) return []
        return node['computed'] === true ? further(node['object']) : undefined
      }
      case 'Identifier':
        return nameOf(node) === 'undefined' ? [] : this.#namedTexts(found, seen)
      case 'CallExpression':
        return this.#returnedTexts(found, seen)
      default:
        return undefined
    }
  }

  #templateTexts({ node, file, around }: Found, seen: readonly Node[]): readonly string[] | undefined {
    const parts = (node['quasis'] as Node[]).map((each) => (each['value'] as { cooked: string }).cooked)
    const wordsOf = (expression: Node) => this.#textsOf({ file, around, node: expression }, [...seen, node])
    let texts = [parts[0] ?? '']
    /** A sentence after a colon, such as a problem after the name of its job. */
    let after: readonly string[] = []
    for (const [index, expression] of (node['expressions'] as Node[]).entries()) {
      const isLast = parts[index + 1] === '' && index === parts.length - 2
      if (isLast && /^\[?.*\]: $/.test(parts[index] ?? '')) return wordsOf(expression)
      if (isLast && parts[index]?.endsWith(': ')) after = (wordsOf(expression) ?? []).filter(isSentence)
      const isChosen = expression.type === 'ConditionalExpression' || expression.type === 'CallExpression'
      const words = isChosen && after.length === 0 ? wordsOf(expression)?.filter(hasWords) : []
      texts = texts.flatMap((text) =>
        (words?.length ? words : [value]).map((each) => text + each + (parts[index + 1] ?? '')),
      )
    }
    return [...texts, ...after]
  }

  /** Returns the texts of a name: of what it is declared as, or of what a function is called with. */
  #namedTexts({ node, file, around }: Found, seen: readonly Node[]): readonly string[] | undefined {
    const name = nameOf(node)
    for (const [depth, each] of [...around.entries()].toReversed()) {
      const index = (each['params'] as Node[]).findIndex(
        (param) => nameOf(param) === name || (param.type === 'AssignmentPattern' && nameOf(param['left']) === name),
      )
      if (index >= 0) {
        return this.#givenTexts({ node: each, file, around: around.slice(0, depth) }, index, [...seen, node])
      }
    }
    const declared = this.#declaredAs(name, file, around)
    if (declared.length === 0) return undefined
    return this.#joined(declared.map((each) => this.#textsOf(each, [...seen, node])))
  }

  #joined = (each: readonly (readonly string[] | undefined)[]): readonly string[] | undefined =>
    each.some((texts) => texts === undefined) ? undefined : each.flatMap((texts) => texts ?? [])

  /** Returns what a name is declared as: in the innermost function around its use, in the module, or in another one. */
  #declaredAs(name: string, file: string, around: readonly Node[]): readonly Found[] {
    const all = this.#declared.get(name) ?? []
    for (const scope of [...around.toReversed(), undefined]) {
      const here = all.filter((each) => each.file === file && each.around.at(-1) === scope)
      if (here.length > 0) return here
    }
    const imported = this.#imports.get(file) ?? []
    return all.filter((each) => each.around.length === 0 && imported.includes(each.file))
  }

  /** Returns the texts that callers give to a parameter of a function. */
  #givenTexts(of: Found, index: number, seen: readonly Node[]): readonly string[] | undefined {
    const name = [...this.#declared].find(([, all]) => all.some(({ node }) => node === of.node))?.[0]
    if (name === undefined) return undefined
    const calls = (this.#calls.get(name) ?? []).filter(
      ({ file }) => file === of.file || this.loadedBy([file]).has(of.file),
    )
    return this.#joined(
      calls.map((call) => {
        const given = (call.node['arguments'] as Node[])[index]
        return given === undefined ? [] : this.#textsOf({ ...call, node: given }, seen)
      }),
    )
  }

  /** Returns the texts that a function returns. */
  #returnedTexts({ node, file, around }: Found, seen: readonly Node[]): readonly string[] | undefined {
    const callee = node['callee'] as Node
    if (isTextOfPages(callee) || nameOf(callee['object']) === 'Math') return []
    const declared = this.#declaredAs(nameOf(callee), file, around).filter((each) => isFunction(each.node))
    if (declared.length === 0) return undefined
    return this.#joined(
      declared.flatMap((each) => {
        const inner = { file: each.file, around: [...each.around, each.node] }
        return returnedBy(each.node).map((returned) => this.#textsOf({ ...inner, node: returned }, [...seen, node]))
      }),
    )
  }
}

/** Returns whether a member belongs to texts of a page, which have their languages. */
function isTextOfPages({ type, object }: Node): boolean {
  if (type !== 'MemberExpression' || !isNode(object)) return false
  return /texts$/i.test(nameOf(object)) || isTextOfPages(object)
}

/** Returns whether a text has words, unlike a name or a code. */
const isSentence = (text: string): boolean => /[a-z]{2} /.test(text)

/** Returns whether a text has words besides values. */
const hasWords = (text: string): boolean => /[a-z]{2}/.test(text)

function returnedBy(of: Node): Node[] {
  const body = of['body'] as Node
  if (body.type !== 'BlockStatement') return body.type === 'ObjectExpression' ? [] : [body]
  const below = (node: Node): Node[] =>
    node.type === 'ReturnStatement'
      ? nodesIn(node['argument']).filter(({ type }) => type !== 'ObjectExpression')
      : isFunction(node)
        ? []
        : childrenOf(node).flatMap(below)
  return below(body)
}

/** Returns a text as a sentence of the tables: without the name of a field before it, with numbers for its values. */
function numbered(text: string): string {
  let next = 0
  return text.replace(/^\[[^\]]*\]: /, '').replaceAll(value, () => `{${next++}}`)
}
