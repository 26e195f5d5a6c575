import { Composer, isAlias, isMap, isScalar, Lexer, LineCounter, Parser, visit, type Document } from 'yaml'

export interface YamlLimits {
  /** Largest number of values; a value that an alias repeats counts once here. */
  readonly maxValues: number
  /** Largest depth of collections inside each other. */
  readonly maxDepth: number
  /** `failsafe` keeps every scalar as the text that it is. */
  readonly schema?: 'core' | 'failsafe'
  /** Whether `<<` merges the map that it names. */
  readonly merge?: boolean
}

export interface YamlText {
  readonly document: Document.Parsed
  /** Maps become objects, sequences become arrays. */
  readonly value: unknown
  readonly lines: LineCounter
}

/** A YAML text that does not parse or exceeds a limit. The message begins with the line where it is known. */
export class YamlProblem extends Error {
  override readonly name = 'YamlProblem'
}

/** Lexemes of one value: its scalar, indentation, indicators and the end of its line. */
const lexemesPerValue = 8
/** Each alias is resolved by a walk through the document. */
const maxAliases = 100

/** The parts of a syntax token that the check for collection keys follows. */
interface SyntaxNode {
  readonly type: string
  readonly value?: SyntaxNode
  readonly items?: readonly { readonly key?: SyntaxNode | null; readonly value?: SyntaxNode }[]
}

/**
 * Reads a YAML document that strangers wrote, in time proportional to its length.
 *
 * The parser of the package takes quadratic time for unique keys and exponential time for keys that are collections, so
 * this function counts lexemes and depth while it reads, refuses collection keys before values are made, and compares
 * keys by itself.
 * @throws YamlProblem
 */
export function readBoundedYaml(text: string, limits: YamlLimits): YamlText {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  const tokens = []
  let lexemes = limits.maxValues * lexemesPerValue
  for (const lexeme of new Lexer().lex(text)) {
    if (--lexemes < 0) throw new YamlProblem(`the text has more than ${limits.maxValues} values`)
    for (const token of parser.next(lexeme)) tokens.push(token)
    // The stack holds the document and each open collection.
    if (parser.stack.length > limits.maxDepth + 2) {
      throw new YamlProblem(`values nest more than ${limits.maxDepth} levels deep`)
    }
  }
  for (const token of parser.end()) tokens.push(token)
  checkSyntax(tokens)
  const composer = new Composer({
    lineCounter: lines,
    logLevel: 'silent',
    prettyErrors: false,
    uniqueKeys: false,
    schema: limits.schema ?? 'core',
    merge: limits.merge ?? false,
  })
  const [document, more] = [...composer.compose(tokens, true, text.length)] as Document.Parsed[]
  if (document === undefined) throw new YamlProblem('the text holds no document')
  const at = (offset: number): string => `line ${lines.linePos(offset).line}: `
  const [error] = document.errors
  if (error) throw new YamlProblem(at(error.pos[0]) + error.message)
  if (more !== undefined) throw new YamlProblem(`${at(more.range[0])}a second document begins`)
  checkNodes(document, at)
  try {
    return { document, lines, value: document.toJS({ maxAliasCount: maxAliases }) as unknown }
  } catch (problem) {
    // The package throws a ReferenceError when aliases multiply to more than the limit.
    if (Error.isError(problem) && problem.name === 'ReferenceError') {
      throw new YamlProblem('aliases repeat too many values')
    }
    throw problem
  }
}

function checkSyntax(tokens: readonly SyntaxNode[]): void {
  const left = [...tokens]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.value) left.push(node.value)
    for (const { key, value } of node.items ?? []) {
      if (key?.items !== undefined) throw new YamlProblem('a key is a collection; use a scalar')
      if (value) left.push(value)
    }
  }
}

function checkNodes(document: Document.Parsed, at: (offset: number) => string): void {
  let aliases = 0
  visit(document, {
    Map(_key, map) {
      const keys = new Set<unknown>()
      for (const { key } of map.items) {
        if (isMap(key)) throw new YamlProblem('a key is a collection; use a scalar')
        if (!isScalar(key) || key.value === '<<') continue
        if (keys.has(key.value)) {
          throw new YamlProblem(`${at(key.range?.[0] ?? 0)}key "${String(key.value)}" is repeated`)
        }
        keys.add(key.value)
      }
    },
    Scalar(_key, { value, range }) {
      // Databases and arguments of programs hold no zero byte.
      if (typeof value === 'string' && value.includes('\0')) {
        throw new YamlProblem(`${at(range?.[0] ?? 0)}a text holds a zero byte`)
      }
    },
    Pair(_key, { key }) {
      // A name that stands for a collection would make the collection a key.
      if (isAlias(key) && !isScalar(key.resolve(document))) throw new YamlProblem('a key is an alias of a collection')
    },
    Alias(_key, alias, path) {
      if (++aliases > maxAliases) throw new YamlProblem(`the text has more than ${maxAliases} aliases`)
      const target = alias.resolve(document)
      if (target && path.includes(target)) throw new YamlProblem(`alias "${alias.source}" contains itself`)
    },
  })
}
