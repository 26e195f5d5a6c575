/** The names of a content. Each content is found by both algorithms, whichever the upload used. */
export interface ContentName {
  readonly algorithm: 'sha256' | 'sha512'
  readonly hex: string
}

/** A content of an image. */
export interface KnownContent {
  readonly sha256: string
  readonly sizeBytes: number
}

/** Name of the file that holds a version's manifest. */
export const manifestFile = 'manifest.json'
