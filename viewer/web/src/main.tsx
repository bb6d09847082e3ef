// The page of parley ui. A view for every address (route.ts), data from the server or from inside an exported file (api.ts).
import { render } from 'preact'
import './style.css'
import { Page } from './page'
import { watchSystem } from './theme'

watchSystem()
const host = document.getElementById('page')!
host.replaceChildren()
render(<Page />, host)
