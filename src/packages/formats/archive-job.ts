/** The files that a caller wants of a tar archive. Names begin without `./`. */
export interface WantedFiles {
  readonly name: RegExp
  /** Largest size of one file. */
  readonly maxBytes: number
  /** The search ends after this number of files. */
  readonly count: number
}

/** Searches a tar archive, of which the beginning is given, for files. */
export interface FindJob {
  readonly kind: 'find'
  readonly format: 'bzip2' | 'xz'
  readonly packed: Uint8Array
  readonly wanted: WantedFiles
  /** The search ends after this number of unpacked bytes. */
  readonly maxUnpackedBytes: number
}

/** Packs a content by bzip2. */
export interface PackJob {
  readonly kind: 'pack'
  readonly content: Uint8Array
}

export type ArchiveJob = FindJob | PackJob

/** A file of a tar archive. */
export interface FoundFile {
  readonly name: string
  readonly content: Uint8Array
}

export interface ArchiveAnswer {
  /** The wanted files before the end of what was given; empty when the archive is broken. */
  readonly found?: readonly FoundFile[]
  /** True when a wanted file is larger than its limit. */
  readonly isTooLarge?: boolean
  /** The packed content. */
  readonly content?: Uint8Array
}
