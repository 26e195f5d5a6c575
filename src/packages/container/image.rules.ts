import { recordOf, textIn, textsIn } from '../registry/json-text.rules.ts'

/** A step of the build of an image. */
export interface ImageStep {
  readonly command: string
  /** The layer of the step; undefined for a step that only sets a value. */
  readonly layer: { readonly digest: string; readonly sizeBytes: number } | undefined
}

/** What a manifest of one platform and its configuration say of the image. */
export interface DescribedImage {
  /** For example `linux/arm64/v8`; empty for artifacts without a platform. */
  readonly platform: string
  readonly steps: readonly ImageStep[]
  /** The sum of the layers, compressed. */
  readonly sizeBytes: number
  /** The program that a container starts. */
  readonly command: string
  readonly user: string
  readonly ports: readonly string[]
  readonly labels: ReadonlyMap<string, string>
}

/** A manifest that an index names. */
export interface IndexEntry {
  readonly digest: string
  /** Empty for an attestation, which is about another manifest and runs nowhere. */
  readonly platform: string
}

/** Largest numbers of steps, ports and labels that are shown. */
const maxSteps = 200
/** Largest number of characters of a command that is shown. */
const maxCommandLength = 2000
const maxValues = 50

function platformOf(value: unknown): string {
  const { os, architecture, variant } = recordOf(value)
  const parts = [os, architecture, variant].map(textIn).filter((part) => part !== '' && part !== 'unknown')
  return parts.join('/')
}

/** Returns the instruction of a step as its author wrote it, without the shell that runs it and notes of the builder. */
const writtenCommand = (text: string): string =>
  text
    .replace(/ # buildkit$/, '')
    .replace(/^\/bin\/sh -c #\(nop\)\s*/, '')
    .replace(/^(?:RUN )?\/bin\/sh -c /, 'RUN ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Reads the manifest of one platform with its configuration. */
export function describeImage(manifest: unknown, config: unknown): DescribedImage {
  const { architecture, os, variant, history, config: settings } = recordOf(config)
  const { Cmd, Entrypoint, User, ExposedPorts, Labels } = recordOf(settings)
  const layers = listIn(recordOf(manifest)['layers'])
    .map(recordOf)
    .map(({ digest, size }) => ({ digest: textIn(digest), sizeBytes: typeof size === 'number' ? size : 0 }))
  let used = 0
  const described = listIn(history)
    .slice(0, maxSteps)
    .map(recordOf)
    .map(({ created_by: command, empty_layer: isEmpty }) => ({
      command: writtenCommand(textIn(command).slice(0, maxCommandLength)),
      layer: isEmpty === true ? undefined : layers[used++],
    }))
  const undescribed = layers.slice(used, maxSteps).map((layer) => ({ command: '', layer }))
  return {
    platform: platformOf({ architecture, os, variant }),
    steps: [...described, ...undescribed],
    sizeBytes: layers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    command: [...textsIn(Entrypoint), ...textsIn(Cmd)].join(' '),
    user: textIn(User),
    ports: Object.keys(recordOf(ExposedPorts)).slice(0, maxValues),
    labels: new Map(
      Object.entries(recordOf(Labels))
        .slice(0, maxValues)
        .map(([name, value]) => [name, textIn(value)]),
    ),
  }
}

/** Reads the manifests that an index names. */
export const entriesOfIndex = (index: unknown): readonly IndexEntry[] =>
  listIn(recordOf(index)['manifests'])
    .map(recordOf)
    .map(({ digest, platform }) => ({ digest: textIn(digest), platform: platformOf(platform) }))
