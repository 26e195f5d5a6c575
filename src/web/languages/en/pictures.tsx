/** Texts of the form of a picture. */
export const pictureTexts = {
  heading: 'Picture',
  file: 'New picture',
  hint: (size: string) => `PNG, JPEG, GIF or WebP of at most ${size}.`,
  upload: 'Upload the picture',
  remove: 'Remove the picture',
  removeQuestion: 'Remove the picture? A generated one is shown instead.',
  removeWithoutOther: 'Remove the picture? An icon is shown instead.',
  saved: 'The picture is changed.',
  missing: 'choose a picture',
  removed: 'The picture is removed.',
}
