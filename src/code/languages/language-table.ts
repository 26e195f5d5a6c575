import { readFile } from 'node:fs/promises'
import { builtFile } from '../../lib/assets.ts'

/** A language of the table. */
export interface Language {
  readonly type: 'programming' | 'markup' | 'prose' | 'data'
  /** `#rrggbb`; only some languages have one. */
  readonly color?: string
  /** The language that it is counted as. */
  readonly group?: string
  readonly extensions?: readonly string[]
  readonly filenames?: readonly string[]
  readonly interpreters?: readonly string[]
}

/** Languages and indexes over them. */
export interface LanguageTable {
  readonly byName: ReadonlyMap<string, Language>
  /** Names by lower-case name, for attributes. */
  readonly byLowerName: ReadonlyMap<string, string>
  readonly byFilename: ReadonlyMap<string, string>
  /** Languages by file extension, most likely first. */
  readonly byExtension: ReadonlyMap<string, readonly string[]>
}

/** When languages share an extension, the first one in this list is the most likely. */
const likelier = (
  'C,C#,Objective-C,TypeScript,JavaScript,Python,Ruby,Go,Rust,PHP,Java,Kotlin,Swift,Perl,Markdown,R,F#,GDScript,D,Fortran,HTML,' +
  'CSS,Shell,SQL,YAML,JSON,XML,INI,Verilog,OCaml,Pascal,Erlang,Elixir,Scheme,Common Lisp,Lex,Yacc,GLSL,Solidity,ReScript,Haskell,' +
  'Lean,TeX,Assembly,Roff,Text,Makefile,ActionScript,Visual Basic 6.0,BitBake,Smarty,Prolog,Puppet,Jasmin,Java Properties'
).split(',')

let loaded: Promise<LanguageTable> | undefined

/** Reads the table on first use. */
export function loadLanguages(): Promise<LanguageTable> {
  loaded ??= readTable().catch((error: unknown) => {
    loaded = undefined // A failed read is not remembered, so that a repaired installation recovers.
    throw error
  })
  return loaded
}

async function readTable(): Promise<LanguageTable> {
  const parsed = JSON.parse(await readFile(builtFile('data/languages.json'), 'utf8')) as Record<string, Language>
  const byName = new Map(Object.entries(parsed))
  const byFilename = new Map<string, string>()
  const byExtension = new Map<string, string[]>()
  for (const [name, language] of byName) {
    for (const filename of language.filenames ?? []) byFilename.set(filename, name)
    for (const extension of language.extensions ?? []) {
      const lower = extension.toLowerCase()
      byExtension.set(lower, [...(byExtension.get(lower) ?? []), name])
    }
  }
  const rank = new Map(likelier.map((name, index) => [name, index]))
  for (const names of byExtension.values()) {
    names.sort((one, other) => (rank.get(one) ?? likelier.length) - (rank.get(other) ?? likelier.length))
  }
  return {
    byName,
    byFilename,
    byExtension,
    byLowerName: new Map([...byName.keys()].map((name) => [name.toLowerCase(), name])),
  }
}
