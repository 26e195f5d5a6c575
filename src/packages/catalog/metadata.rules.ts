import { TooLarge } from '../../lib/errors.ts'

/** Largest metadata of a version in bytes: lists and indexes contain those of many versions. */
const maxMetadataBytes = 256 * 1024

/** Returns the metadata of a version as JSON. Throws `TooLarge`. */
export function encodedMetadata(metadata: object): string {
  const text = JSON.stringify(metadata)
  if (Buffer.byteLength(text) > maxMetadataBytes) {
    throw new TooLarge(
      `the description of a version is larger than ${maxMetadataBytes} bytes`,
      'package_metadata_too_large',
    )
  }
  return text
}

/** Parses the metadata of a version or file; its type is that of the registry that wrote it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the registry that wrote it knows its form
export const metadataOf = <Metadata>({ metadata }: { readonly metadata: string | null }): Metadata =>
  JSON.parse(metadata ?? '{}') as Metadata
