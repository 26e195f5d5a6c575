const image = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i

/** Whether Markdown shows a file in the text; others are links. */
export const isShownImage = (name: string): boolean => image.test(name)

/** Returns the Markdown that shows a dropped file. */
export const markdownOfFile = (name: string, address: string): string =>
  `${isShownImage(name) ? '!' : ''}[${name.replace(/[[\]\\]/g, '\\$&')}](${address})`
