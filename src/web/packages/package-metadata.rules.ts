import { readParagraph } from '../../packages/formats/control-file.rules.ts'

/** A dependency with the range of its versions. */
export type ShownRange = readonly [name: string, range: string]

/** Dependencies of one purpose: a kind such as `dev`, or a framework. */
export interface ShownDependencies {
  /** Empty for the dependencies that every user of the package needs. */
  readonly purpose: string
  readonly ranges: readonly ShownRange[]
}

/** What the page of a version shows of its metadata. */
export interface ShownMetadata {
  readonly description: string
  readonly readme: string
  readonly homepage: string
  /** The address of the source code. */
  readonly source: string
  readonly license: string
  readonly authors: string
  readonly keywords: readonly string[]
  /** Languages and tools that the package needs. */
  readonly needs: readonly ShownRange[]
  readonly dependencies: readonly ShownDependencies[]
  /** The publisher's warning against this version; empty without one. */
  readonly warning: string
  readonly isYanked: boolean
}

const maxDependencies = 200
const maxKeywords = 20
const maxReadmeLength = 50_000

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const textOf = (...values: readonly unknown[]): string =>
  (values.find((value) => typeof value === 'string' && value !== '') as string | undefined) ?? ''

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.map((each) => textOf(each, fieldsOf(each)['name'])).filter((text) => text !== '')
    : [textOf(value, fieldsOf(value)['name'])].filter((text) => text !== '')

/** Returns the texts of a list, the names of its objects, or the text itself. */
const listOf = (...values: readonly unknown[]): string =>
  values.map((value) => textsOf(value).join(', ')).find((text) => text !== '') ?? ''

/** Returns an address that a browser opens: npm writes `git+https://host/name.git`. */
const addressOf = (...values: readonly unknown[]): string =>
  textOf(...values.map((value) => textOf(value, fieldsOf(value)['url']))).replace(/^git\+(https?:.*?)(?:\.git)?$/, '$1')

/** Reads the metadata of any registry: each stores what its tools send. */
export function metadataShown(json: string | null): ShownMetadata {
  const own = fieldsOf(json === null ? {} : (JSON.parse(json) as unknown))
  const fields = { ...own, ...fieldsOf(own['pubspec']), ...fieldsOf(own['fields']), ...controlOf(own['control']) }
  const author = fieldsOf(fields['author'])
  const keywords = fields['keywords'] ?? fields['topics'] ?? fields['tags']
  return {
    description: textOf(fields['description'], fields['summary'], fields['Title'], fields['Description'], fields['T']),
    readme: textOf(fields['readme'], fields['longDescription']).slice(0, maxReadmeLength),
    homepage: addressOf(
      ...['homepage', 'projectUrl', 'url', 'website', 'home', 'URL', 'U'].map((name) => fields[name]),
    ),
    source: addressOf(fields['repository'], fields['codeRepository'], fields['sourceUrl']),
    license: listOf(fields['license'], fields['licenses'], fields['License'], fields['L']),
    authors: listOf(
      [textOf(author['givenName']), textOf(author['familyName'])].filter((name) => name !== '').join(' '),
      ...['author', 'authors', 'maintainers', 'maintainer', 'Author', 'm'].map((name) => fields[name]),
    ),
    keywords: (typeof keywords === 'string' ? keywords.split(/[\s,]+/) : textsOf(keywords))
      .filter((word) => word !== '')
      .slice(0, maxKeywords),
    needs: needsOf(fields),
    dependencies: dependenciesOf(fields),
    warning: textOf(fields['deprecated']),
    isYanked: fields['isYanked'] === true,
  }
}

/** Reads the control file of a Debian package. The first line of its description is the short one. */
function controlOf(control: unknown): Fields {
  if (typeof control !== 'string') return {}
  const about = readParagraph(control)
  const [short = ''] = (about.get('description') ?? '').split('\n', 1)
  return {
    description: short,
    homepage: about.get('homepage'),
    maintainer: about.get('maintainer'),
    depends: [about.get('pre-depends') ?? '', about.get('depends') ?? ''].filter((text) => text !== '').join(', '),
  }
}

/** Returns the languages that a package needs. Sources: the descriptions of npm, PyPI, Cargo, Composer, Pub and RubyGems. */
function needsOf(fields: Fields): readonly ShownRange[] {
  const needs: readonly ShownRange[] = [
    ['Node', textOf(fieldsOf(fields['engines'])['node'])],
    ['Python', textOf(fields['requiresPython'])],
    ['Rust', textOf(fields['rustVersion'])],
    ['PHP', textOf(fieldsOf(fields['require'])['php'])],
    ['Dart', textOf(fieldsOf(fields['environment'])['sdk'])],
    ['Kubernetes', textOf(fields['kubeVersion'])],
    ['Ruby', listOf(fields['ruby'])],
    ['Go', /^go (\S+)/m.exec(textOf(fields['goMod']))?.[1] ?? ''],
  ]
  return needs.filter(([, range]) => range !== '')
}

/** Returns the modules that a `go.mod` needs, one on a line: `require example.org/name v1.2.3`, or without the word in a block. */
const modulesOf = (goMod: string): readonly ShownRange[] =>
  goMod.split('\n').flatMap((line) => {
    const [name = '', range = '', ...more] = line
      .trim()
      .replace(/^require\s+/, '')
      .split(' ', 3)
    return name.includes('/') && range.startsWith('v') && more.length === 0 ? [[name, range]] : []
  })

function dependenciesOf(fields: Fields): readonly ShownDependencies[] {
  const all: (readonly [purpose: string, ranges: readonly ShownRange[]])[] = [
    ['', ['dependencies', 'require', 'depends', 'Imports', 'Depends'].flatMap((name) => rangesOf(fields[name]))],
    ['', modulesOf(textOf(fields['goMod']))],
    ['peer', rangesOf(fields['peerDependencies'])],
    ['optional', rangesOf(fields['optionalDependencies'])],
    ...[
      ...Map.groupBy(Array.isArray(fields['deps']) ? fields['deps'].map(fieldsOf) : [], (each) =>
        textOf(each['kind']).replace(/^normal$/, ''),
      ),
    ].map(([purpose, deps]) => [purpose, rangesOf(deps)] as const),
    // NuGet lists the packages of each framework.
    ...(Array.isArray(fields['dependencies']) ? fields['dependencies'] : [])
      .map(fieldsOf)
      .map((each) => [textOf(each['targetFramework']), rangesOf(each['packages'])] as const),
  ]
  let left = maxDependencies
  return all.flatMap(([purpose, ranges]) => {
    const shown = ranges.slice(0, left)
    left -= shown.length
    return shown.length === 0 ? [] : [{ purpose, ranges: shown }]
  })
}

/** Reads an object of ranges by name, a list of objects or of texts such as `python >=3.9`, or one text with commas. */
function rangesOf(value: unknown): readonly ShownRange[] {
  if (typeof value === 'string') return value.split(',').flatMap(writtenRange)
  if (Array.isArray(value)) {
    return value.flatMap((each: unknown) => {
      if (typeof each === 'string') return writtenRange(each)
      const fields = fieldsOf(each)
      const name = [textOf(fields['groupId']), textOf(fields['name'], fields['artifactId'], fields['id'])]
        .filter((part) => part !== '')
        .join(':')
      const range = textOf(fields['version'], fields['version_req'], fields['req']) || listOf(fields['requirements'])
      return name === '' ? [] : [[name, range] as const]
    })
  }
  return Object.entries(fieldsOf(value)).map(([name, range]) => [name, textOf(range)] as const)
}

/** Reads `name`, `name >=1.0` or `name (>= 1.0)`. */
function writtenRange(text: string): readonly ShownRange[] {
  const [name = ''] = /[^\s(]+/.exec(text) ?? []
  const range = text.slice(text.indexOf(name) + name.length).trim()
  return name === '' ? [] : [[name, range.replace(/^\(/, '').replace(/\)$/, '')]]
}
