"""A hostile name, and a script that detects whether a page executed it."""

# Breaks out of attributes (also if a combining mark joins the quotation mark), of elements and of scripts, and changes the text direction.
HOSTILE_NAME = ('"\u0301\' onmouseover="document.documentElement.dataset.hacked=1" x="</title></script>'
        '<script>document.documentElement.dataset.hacked=1</script><img src=x onerror="document.documentElement.dataset.hacked=1">'
        '{{7*7}} %00 ../ \u202eתודה \u0645\u0631\u062d\u0628\u0627 ')
HACKED = "return document.documentElement.dataset.hacked || null"
