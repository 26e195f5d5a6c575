import { RE2JS, RE2JSException } from 're2js'
import type { WorkBudget } from './work-budget.ts'

/** Whether a pattern matches a text. `undecided`: the pattern has a fault, or the work budget is used up. */
export type Match = boolean | 'undecided'

export interface Pattern {
  readonly match: (text: string) => Match
}

export interface ExpressionPattern extends Pattern {
  /** Returns the fault that the first match found. */
  fault(): ExpressionFault | undefined
}

/** How an expression is compared with a text. */
export interface ExpressionOptions {
  /** Whether the expression matches the whole text, and not a part of it. */
  readonly isWhole: boolean
  readonly ignoresCase?: boolean
}

/** Returns whether one of the patterns matches; undecided when none does and one is undecided. */
export function anyMatch(patterns: readonly Pattern[], text: string): Match {
  let answer: Match = false
  for (const pattern of patterns) {
    const match = pattern.match(text)
    if (match === true) return true
    if (match === 'undecided') answer = match
  }
  return answer
}

/**
 * Returns the answer of a match.
 * @throws WorkTooCostly for an undecided one
 */
export function mustDecide(budget: WorkBudget, match: Match): boolean {
  if (match === 'undecided') budget.take('processorUs', Infinity)
  return match === true
}

/** Longest expression in characters, and the highest estimated cost of compiling one in microseconds. */
const maxLength = 10_000
const maxCompileUs = 20_000

/** Measured cost of compiling in microseconds: each expression, character, instruction and Unicode class. */
const compileUs = { each: 50, character: 4, instruction: 8, unicodeClass: 150 } as const

/** Measured cost of one character in a range whose letter case is ignored, and of the widest such range. */
const foldUs = { character: 0.08, widest: 10_000 } as const

/** Measured cost of a match: each one, and each instruction that it visits. */
const matchUs = { each: 0.3, step: 0.04 } as const

/** Number of steps that are taken from the budget at once. */
const stepsAtOnce = 500

const isFold = /\(\?[a-z]*i/i
const hasNumericEscape = /\\[x0-7]/

/** Returns the estimated cost of compiling an expression in microseconds, from above. */
function costOf(source: string, ignoresCase: boolean): number {
  const classes = source.match(/\\p/gi)?.length ?? 0
  const folded = ignoresCase || isFold.test(source) ? foldCostOf(source) : 0
  return (
    compileUs.each +
    compileUs.character * source.length +
    compileUs.instruction * countInstructions(source) +
    compileUs.unicodeClass * classes +
    folded
  )
}

/** Ranges of characters are expanded one by one when letter case is ignored. */
function foldCostOf(source: string): number {
  const isNumeric = hasNumericEscape.test(source)
  let sum = 0
  for (let at = source.indexOf('-'); at >= 0; at = source.indexOf('-', at + 1)) {
    const width = Math.max(0, (source.codePointAt(at + 1) ?? 0) - source.charCodeAt(at - 1))
    sum += isNumeric ? foldUs.widest : Math.min(foldUs.character * width, foldUs.widest)
  }
  return sum
}

const repetition = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y
const escape = /\\(?:[pPx]\{[^}]*\}|.|$)/suy
const set = /\[\^?\]?(?:\[:[^\]]*:\]|\\.|[^\]\\])*\]?/suy

/** Returns an upper bound of the instructions of an expression: counted repetitions multiply what they repeat. */
function countInstructions(source: string): number {
  const outer: number[] = []
  let sum = 0
  let last = 0
  let largest = 1
  const add = (size: number): void => {
    sum += size
    last = size
  }
  const lengthAt = (form: RegExp, at: number): RegExpExecArray | null => {
    form.lastIndex = at
    return form.exec(source)
  }
  for (let at = 0; at < source.length; at++) {
    const character = source[at]
    const token =
      character === '\\'
        ? lengthAt(escape, at)
        : character === '['
          ? lengthAt(set, at)
          : character === '{'
            ? lengthAt(repetition, at)
            : null
    if (token) at += token[0].length - 1
    if (token && character === '{') {
      const count = Math.max(1, Number(token[1]), Number(token[2] ?? 0))
      largest = Math.max(largest, count)
      sum += last * 2 * count
      last *= 2 * count
    } else if (character === '(') {
      outer.push(sum)
      sum = 2
    } else if (character === ')') {
      // Without an open group, which `\Q` allows, everything before counts.
      last = sum
      sum += outer.pop() ?? 0
    } else add(character === '*' || character === '+' || character === '?' ? 1 + last : 1)
  }
  const total = outer.reduce((one, other) => one + other, sum)
  // Parentheses between `\Q` and `\E` are no groups.
  return source.includes(String.raw`\Q`) ? total + 2 * source.length * largest : total
}

/** The instructions of a compiled program (Russ Cox, "Regular Expression Matching: the Virtual Machine Approach"). */
interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  matchRune(rune: number): boolean
}

interface Program {
  readonly start: number
  numInst(): number
  getInst(at: number): Instruction
}

/** Kinds of instructions in `re2js`. */
const op = { alt: 1, altMatch: 2, capture: 3, emptyWidth: 4, match: 6, nop: 7, firstRune: 8, lastRune: 11 } as const

/** Conditions of an instruction that consumes nothing. */
const edge = { lineStart: 1, lineEnd: 2, textStart: 4, textEnd: 8, wordEdge: 16, noWordEdge: 32 } as const

/** A fault of an expression: it cannot be compiled, or it is too large. */
export interface ExpressionFault {
  readonly kind: 'invalid' | 'large'
  readonly reason: string
}

type Compiled = { readonly program: Program; readonly prefix: string } | ExpressionFault | 'undecided'

function compile(source: string, budget: WorkBudget, ignoresCase: boolean): Compiled {
  if (source.length > maxLength) return { kind: 'large', reason: `longer than ${maxLength} characters` }
  const cost = costOf(source, ignoresCase)
  if (cost > maxCompileUs) return { kind: 'large', reason: 'too large: it repeats or lists too much' }
  if (!budget.tryTake('processorUs', cost)) return 'undecided'
  try {
    const { prog, prefix } = RE2JS.compile(source, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0).re2()
    return { program: prog as Program, prefix: String(prefix ?? '') }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return { kind: 'invalid', reason: error.message.replace(/^error parsing regexp: /, '') }
  }
}

/**
 * Returns the fault of an expression in the dialect of RE2; undefined for a valid one.
 * @throws WorkTooCostly when the budget does not suffice to compile it
 */
export function faultOfExpression(
  source: string,
  budget: WorkBudget,
  { ignoresCase = false }: Pick<ExpressionOptions, 'ignoresCase'> = {},
): ExpressionFault | undefined {
  const compiled = compile(source, budget, ignoresCase)
  if (compiled === 'undecided') budget.take('processorUs', Infinity)
  return typeof compiled === 'object' && 'kind' in compiled ? compiled : undefined
}

/**
 * Returns a pattern from an expression in the dialect of RE2, whose matches take linear time. It is compiled at its
 * first match. A faulty or too large expression, or one that exceeds the budget, is undecided.
 */
export function expressionPattern(source: string, budget: WorkBudget, options: ExpressionOptions): ExpressionPattern {
  let compiled: Compiled | undefined
  let run: ((text: string) => Match) | undefined
  return {
    match(text) {
      if (!budget.tryTake('processorUs', matchUs.each)) return 'undecided'
      compiled ??= compile(source, budget, options.ignoresCase ?? false)
      if (compiled === 'undecided' || 'kind' in compiled) return 'undecided'
      if (options.isWhole && !text.startsWith(compiled.prefix)) return false
      run ??= walker(compiled.program, budget, options.isWhole)
      return run(text)
    },
    fault: () => (typeof compiled === 'object' && 'kind' in compiled ? compiled : undefined),
  }
}

/**
 * Returns a function that follows all paths of a program through a text at once. `re2js` has a faster automaton, but
 * nobody can say beforehand how much of it a text builds, and it keeps up to 8 MiB for each pattern. Here each step is
 * taken from the budget before it is made.
 */
function walker(program: Program, budget: WorkBudget, isWhole: boolean): (text: string) => Match {
  const size = program.numInst()
  const instructions = Array.from({ length: size }, (_, at) => program.getInst(at))
  /** The position of the text at which each instruction was last reached. */
  const reachedAt = new Float64Array(size).fill(-1)
  const stack = new Int32Array(size * 2 + 2)
  const lists = [new Int32Array(size), new Int32Array(size)] as const
  const needsEdges = instructions.some((each) => each.op === op.emptyWidth)
  let clock = 0
  let isMatch = false
  /** Steps since the last payment, and steps that are paid in advance, for the next texts too. */
  let steps = 0
  let paid = 0

  /** Adds the instructions that are reachable from one without a character. Returns the length of the list. */
  function enter(list: Int32Array, length: number, first: number, edges: number): number {
    let height = 0
    let end = length
    stack[height++] = first
    while (height > 0) {
      const at = stack[--height] as number
      if (reachedAt[at] === clock) continue
      reachedAt[at] = clock
      steps++
      const each = instructions[at] as Instruction
      if (each.op >= op.firstRune && each.op <= op.lastRune) list[end++] = at
      else if (each.op === op.match) isMatch = true
      else if (each.op === op.alt || each.op === op.altMatch) {
        stack[height++] = each.arg
        stack[height++] = each.out
      } else if (each.op === op.nop || each.op === op.capture) stack[height++] = each.out
      else if (each.op === op.emptyWidth && (each.arg & ~edges) === 0) stack[height++] = each.out
    }
    return end
  }

  return (text) => {
    isMatch = false
    let [list, next] = lists as readonly [Int32Array, Int32Array]
    clock++
    let length = enter(list, 0, program.start, needsEdges ? edgesAt(text, 0) : 0)
    for (let at = 0; at < text.length;) {
      if (isMatch && !isWhole) break
      if (length === 0 && isWhole) return false
      if (steps + 2 * size > paid && steps > 0) {
        const more = Math.max(stepsAtOnce, steps + 2 * size - paid)
        if (!budget.tryTake('processorUs', more * matchUs.step)) return 'undecided'
        paid += more - steps
        steps = 0
      }
      const rune = text.codePointAt(at) as number
      at += rune > 0xffff ? 2 : 1
      const edges = needsEdges ? edgesAt(text, at) : 0
      clock++
      isMatch = false
      let count = 0
      for (let index = 0; index < length; index++) {
        const each = instructions[list[index] as number] as Instruction
        if (each.matchRune(rune)) count = enter(next, count, each.out, edges)
      }
      steps += length + 2
      if (!isWhole && !isMatch) count = enter(next, count, program.start, edges)
      ;[list, next] = [next, list]
      length = count
    }
    return isMatch
  }
}

function edgesAt(text: string, at: number): number {
  const isEnd = at === text.length
  const isBehindWord = isWord(text.charCodeAt(at - 1))
  return (
    (at === 0 ? edge.textStart | edge.lineStart : 0) |
    (text[at - 1] === '\n' ? edge.lineStart : 0) |
    (isEnd ? edge.textEnd | edge.lineEnd : 0) |
    (text[at] === '\n' ? edge.lineEnd : 0) |
    (isBehindWord === isWord(text.charCodeAt(at)) ? edge.noWordEdge : edge.wordEdge)
  )
}

const isWord = (unit: number): boolean => unit < 128 && /\w/.test(String.fromCharCode(unit))
