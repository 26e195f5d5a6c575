/** Texts of the form of a picture. */
export const pictureTexts = {
  heading: 'Bild',
  file: 'Neues Bild',
  hint: (size: string) => `PNG, JPEG, GIF oder WebP mit höchstens ${size}.`,
  upload: 'Bild hochladen',
  remove: 'Bild entfernen',
  removeQuestion: 'Das Bild entfernen? Stattdessen wird ein erzeugtes gezeigt.',
  removeWithoutOther: 'Das Bild entfernen? Stattdessen wird ein Symbol gezeigt.',
  saved: 'Das Bild ist geändert.',
  missing: 'wählen Sie ein Bild',
  removed: 'Das Bild ist entfernt.',
}
