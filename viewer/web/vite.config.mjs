// One script and one style sheet with names that stay, so that the program can embed them, an export can inline them, and CI can compare them.
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vite'

// The licences of what is bundled, in a file of their own.
function licences() {
  return {
    name: 'licences',
    generateBundle() {
      const parts = ['preact', 'uplot'].map((name) => {
        const about = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
        return `${name} ${about.version} (${about.license})\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}\n`
      })
      const source = 'The page of parley ui contains these libraries:\n\n' + parts.join('\n---\n\n')
      this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source })
    },
  }
}

export default defineConfig({
  plugins: [licences()],
  server: { proxy: { '/api': process.env.PARLEY_UI ?? 'http://127.0.0.1:8008' } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: 'assets/page.js',
        assetFileNames: 'assets/page[extname]',
        codeSplitting: false,
      },
    },
  },
})
