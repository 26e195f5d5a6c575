/** What a cell printed or drew. */
export type NotebookOutput =
  | { readonly kind: 'text' | 'error'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'image'; readonly type: ImageType; readonly base64: string }
  /** An image that is too large, or of another type. */
  | { readonly kind: 'left out' }

export interface NotebookCell {
  readonly kind: 'markdown' | 'code' | 'raw'
  readonly source: string
  /** The number of the run; undefined for a cell that did not run. */
  readonly run: number | undefined
  readonly outputs: readonly NotebookOutput[]
}

export interface Notebook {
  /** The language of code cells, such as `python`. */
  readonly language: string
  readonly cells: readonly NotebookCell[]
  /** The notebook has more cells. */
  readonly isCut: boolean
}

const maxCells = 200
const maxOutputs = 20
/** Longest shown output of a cell, in UTF-16 units. */
const maxOutputLength = 20_000
/** Longest images of a notebook together, in base64. */
const maxImageLength = 3 << 20

const imageTypes = ['image/png', 'image/jpeg', 'image/gif'] as const
type ImageType = (typeof imageTypes)[number]

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : [])

/** Texts are strings, or lists of lines. */
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : listOf(value)
        .filter((line) => typeof line === 'string')
        .join('')

/** Removes the colours and other controls of terminals. */
// oxlint-disable-next-line no-control-regex -- they are what is removed
const plain = (text: string): string => text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')

function cut(kind: 'text' | 'error', whole: string): NotebookOutput {
  const text = plain(whole.slice(0, maxOutputLength))
  return { kind, text, isCut: whole.length > maxOutputLength }
}

/** Reads a notebook of format 4; undefined for any other text. */
export function readNotebook(text: string): Notebook | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  const { cells, metadata, nbformat } = objectOf(json)
  if (!Array.isArray(cells) || typeof nbformat !== 'number' || nbformat < 4) return undefined
  const { language_info: info, kernelspec: kernel } = objectOf(metadata)
  const language = textOf(objectOf(info)['name']) || textOf(objectOf(kernel)['language']) || 'python'
  const images = { left: maxImageLength }
  return {
    language,
    cells: cells.slice(0, maxCells).map((cell) => cellOf(objectOf(cell), images)),
    isCut: cells.length > maxCells,
  }
}

function cellOf(cell: Json, images: { left: number }): NotebookCell {
  const type = cell['cell_type']
  const kind = type === 'markdown' || type === 'code' ? type : 'raw'
  const run = cell['execution_count']
  return {
    kind,
    source: textOf(cell['source']),
    run: typeof run === 'number' ? run : undefined,
    outputs:
      kind === 'code'
        ? listOf(cell['outputs'])
            .slice(0, maxOutputs)
            .flatMap((output) => outputOf(objectOf(output), images))
        : [],
  }
}

function outputOf(output: Json, images: { left: number }): readonly NotebookOutput[] {
  switch (output['output_type']) {
    case 'stream':
      return [cut(output['name'] === 'stderr' ? 'error' : 'text', textOf(output['text']))]
    case 'error': {
      const trace = listOf(output['traceback']).map(textOf).join('\n')
      return [cut('error', trace || `${textOf(output['ename'])}: ${textOf(output['evalue'])}`)]
    }
    case 'display_data':
    case 'execute_result':
      return [shownData(objectOf(output['data']), images)]
    default:
      return []
  }
}

/** Chooses one form of a result: an image, else its text. */
function shownData(data: Json, images: { left: number }): NotebookOutput {
  for (const type of imageTypes) {
    const base64 = textOf(data[type]).replaceAll(/\s/g, '')
    if (base64 === '' || base64.length > images.left || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) continue
    images.left -= base64.length
    return { kind: 'image', type, base64 }
  }
  const text = textOf(data['text/plain'])
  return text === '' ? { kind: 'left out' } : cut('text', text)
}
