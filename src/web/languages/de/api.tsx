/** Texts of the API documentation page. */
export const apiTexts = {
  title: 'API',
  parts: 'Teile der API',
  needsScripts: 'Zum Blättern ist JavaScript nötig. Beschreibung herunterladen:',
  openApi: 'OpenAPI 3.1',
}
