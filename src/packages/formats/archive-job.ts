/** Looks for a file in a tar archive that is packed by bzip2, of which the beginning is given. */
export interface FindJob {
  readonly kind: 'find'
  readonly packed: Uint8Array
  readonly name: string
  /** Largest size of the file, and most bytes that are unpacked to find it. */
  readonly maxBytes: number
  readonly maxUnpackedBytes: number
}

/** Packs a content by bzip2. */
export interface PackJob {
  readonly kind: 'pack'
  readonly content: Uint8Array
}

export type ArchiveJob = FindJob | PackJob

/** What was found or packed; undefined when there was no such file, or no archive. */
export interface ArchiveAnswer {
  readonly content?: Uint8Array
}
