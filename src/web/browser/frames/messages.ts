/** What a page sends to a frame of diagrams. Frames have an opaque origin, so both sides compare the window of the sender. */
export type ToFrame =
  /** The library, once, to the frame that draws. */
  | { readonly kind: 'library'; readonly script: string }
  | { readonly kind: 'draw'; readonly number: number; readonly text: string; readonly isDark: boolean }
  /** A drawing, to a frame that shows one. */
  | { readonly kind: 'show'; readonly svg: string; readonly isDark: boolean; readonly isWhole: boolean }

/** What a frame answers. Pages expect any value there, because a hostile diagram may have written it. */
export type FromFrame =
  /** The frame, and later its library, is loaded. */
  | { readonly kind: 'loaded' | 'ready' }
  /** The library does not run in this browser. */
  | { readonly kind: 'broken' }
  /** Width and height are in CSS pixels. */
  | {
      readonly kind: 'drawn'
      readonly number: number
      readonly svg: unknown
      readonly width: unknown
      readonly height: unknown
      readonly title: unknown
    }
  | { readonly kind: 'failed'; readonly number: number; readonly message: unknown }
