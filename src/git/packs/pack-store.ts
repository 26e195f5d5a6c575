import type { Readable } from 'node:stream'

/** The store of packs and their indexes, by key: a part of `Blobs` (storage/blobs.ts). */
export interface PackStore {
  put(
    key: string,
    content: Readable,
    options: { readonly maxBytes: number; readonly expected: { readonly sizeBytes: number } },
  ): Promise<{ readonly sizeBytes: number; readonly sha256: string }>
  get(key: string): Promise<{ readonly stream: Readable } | undefined>
}

/** Keys of a pack and its index, of the key in the manifest. */
export const filesOfPack = (blobKey: string) =>
  [
    { key: `${blobKey}.pack`, ending: '.pack' },
    { key: `${blobKey}.idx`, ending: '.idx' },
  ] as const

/** The key in the manifest of a file of a pack. */
export const blobKeyOf = (key: string): string => key.replace(/\.(?:pack|idx)$/, '')
