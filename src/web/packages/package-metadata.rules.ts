/** What the page of a version shows of its metadata. */
export interface ShownMetadata {
  readonly description: string
  readonly homepage: string
  readonly license: string
  readonly readme: string
  /** Names and ranges. */
  readonly dependencies: readonly (readonly [name: string, range: string])[]
}

const maxDependencies = 200
const maxReadmeLength = 50_000

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const textOf = (...values: readonly unknown[]): string =>
  (values.find((value) => typeof value === 'string' && value !== '') as string | undefined) ?? ''

/** Returns texts of a list, or the text itself. */
const listOf = (value: unknown): string =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string').join(', ') : textOf(value)

/** Reads the metadata of any registry: each stores what its tools send. */
export function metadataShown(json: string | null): ShownMetadata {
  const own = fieldsOf(json === null ? {} : (JSON.parse(json) as unknown))
  const fields = { ...own, ...fieldsOf(own['pubspec']), ...fieldsOf(own['fields']) }
  return {
    description: textOf(fields['description'], fields['summary'], fields['Title'], fields['Description']),
    homepage: textOf(fields['homepage'], fields['projectUrl'], fields['url'], fields['website'], fields['home']),
    license: listOf(fields['license'] ?? fields['licenses'] ?? fields['License']),
    readme: textOf(fields['readme']).slice(0, maxReadmeLength),
    dependencies: [
      ...namedRanges(fields['dependencies']),
      ...namedRanges(fields['require']),
      ...namedRanges(fields['deps']),
    ].slice(0, maxDependencies),
  }
}

function namedRanges(value: unknown): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) {
    return value.map(fieldsOf).flatMap((each) => {
      const name = textOf(each['name'], each['artifactId'], each['id'])
      return name === '' ? [] : [[name, textOf(each['version'], each['version_req'], each['req'])] as const]
    })
  }
  return Object.entries(fieldsOf(value)).map(([name, range]) => [name, textOf(range)] as const)
}
