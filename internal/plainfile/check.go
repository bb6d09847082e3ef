package plainfile

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// looked is how much of a file decides what it is.
const looked = 1 << 10

// Check reports content that stands in for a file of a model: what [Stub] reports, a server's refusal in JSON, nothing at all.
func Check(name string, data []byte) error {
	if len(data) == 0 {
		return fmt.Errorf("%s is empty: the download did not get it; get it again", name)
	}
	if says, ok := refusal(data); ok {
		return fmt.Errorf("%s is the refusal of a server, not the file itself: %.200q; download it again", name, says)
	}
	return Stub(name, data)
}

// Stub reports content that stands in for any file, by its beginning: a Git-LFS pointer, a web page, a server's refusal in XML.
func Stub(name string, data []byte) error {
	head := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(data[:min(len(data), looked)], []byte("\xef\xbb\xbf"))))
	begins := func(texts ...string) bool {
		for _, t := range texts {
			if bytes.HasPrefix(head, []byte(t)) {
				return true
			}
		}
		return false
	}
	switch {
	case begins("version https://git-lfs", "version https://hawser"):
		return fmt.Errorf("%s is a Git-LFS pointer, not the file itself: run git lfs pull where it was cloned, or download the file", name)
	case begins("<!doctype html", "<html", "<head"):
		return fmt.Errorf("%s is a web page (HTML), not the file itself: download it again, from the address of the file (on the Hub: /resolve/, not /blob/)", name)
	case begins("<?xml", "<error>") && bytes.Contains(head, []byte("<error>")):
		return fmt.Errorf("%s is the refusal of a server (XML), not the file itself: download it again", name)
	}
	return nil
}

// refusal reads a server's answer in JSON: a short object that says what went wrong, and nothing else.
func refusal(data []byte) (says string, ok bool) {
	if len(data) > 1<<14 || len(data) == 0 || data[0] != '{' {
		return "", false
	}
	var object map[string]any
	if json.Unmarshal(data, &object) != nil {
		return "", false
	}
	about := map[string]bool{
		"error": true, "message": true, "detail": true, "details": true, "status": true, "code": true, "statusCode": true, "errors": true,
		"request_id": true, "requestId": true, "documentation_url": true, "error_type": true, "success": true,
	}
	for key := range object {
		if !about[key] {
			return "", false
		}
	}
	for _, key := range []string{"error", "message", "detail", "errors"} {
		if v, there := object[key]; there {
			return fmt.Sprint(v), true
		}
	}
	return "", false
}

// Explain is err, which reading a file of weights gave, with what the file seems to be in place of that.
func Explain(data []byte, err error) error {
	if err == nil {
		return nil
	}
	head := data[:min(len(data), looked)]
	for _, f := range formats {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return fmt.Errorf("it is %s: %s", f.what, f.remedy)
		}
	}
	if len(head) >= 64 && len(bytes.Trim(head, "\x00")) == 0 {
		return fmt.Errorf("it begins with zeros: the download reserved its space and did not finish; get it again (%w)", err)
	}
	return err
}

const convert = "convert it to safetensors, for instance with transformers' save_pretrained, or get a repository that has it in safetensors"

// formats are what weights of models come as too, by how such files begin.
var formats = []struct{ magic, what, remedy string }{
	{"PK\x03\x04", "a zip file, such as PyTorch writes (.bin, .pt, .pth)", convert},
	{"\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", "a file of old PyTorch (pickle)", convert},
	{"\x80\x02}", "a Python pickle", convert},
	{"\x80\x03}", "a Python pickle", convert},
	{"\x80\x04\x95", "a Python pickle", convert},
	{"\x89HDF\r\n", "an HDF5 file (Keras, TensorFlow)", convert},
	{"\x93NUMPY", "a NumPy file", convert},
	{"GGUF", "a GGUF file", "give it a name that ends in .gguf, and name the file itself as the model"},
	{"FUGG", "a GGUF file in big-endian order", "convert it to little-endian order"},
	{"tjgg", "a GGML file of early 2023", "get the model as GGUF"},
	{"lmgg", "a GGML file of early 2023", "get the model as GGUF"},
	{"fmgg", "a GGML file of early 2023", "get the model as GGUF"},
	{"\x1f\x8b", "gzip-compressed", "decompress it"},
	{"(\xb5/\xfd", "zstd-compressed", "decompress it"},
	{"\xfd7zXZ", "xz-compressed", "decompress it"},
	{"{\"", "JSON text", "download the file of weights again"},
	{"{\n", "JSON text", "download the file of weights again"},
	{"{ ", "JSON text", "download the file of weights again"},
}
